//! The end of a session's transcript: the last calls, the last message, the start of the turn.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use claude_hooks::prompt::{Origin, origin};
use claude_hooks::transcript::{Block, Entry, Role};
use jiff::Timestamp;
use serde_json::Value;

use super::call::{Done, Status, status};
use super::{Coverage, Enough, Unread, has, walk};

/// The end of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recent {
    /// The last calls, oldest first.
    pub calls: Vec<Done>,
    /// The model's last message. The very latest may still be missing from the transcript.
    pub statement: Option<String>,
    /// Time of the current prompt.
    pub prompted: Option<Timestamp>,
    /// Number of calls since that prompt.
    pub this_turn: usize,
    /// Number of parsed lines.
    pub entries: usize,
    /// How much was read.
    pub coverage: Coverage,
}

impl Recent {
    /// Whether every call has its result.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| call.status != Status::Pending)
    }

    /// Whether it contains each of these calls.
    #[must_use]
    pub fn has_all(&self, ids: &[String]) -> bool {
        ids.iter().all(|id| self.calls.iter().any(|call| call.id == *id))
    }

    /// Whether it contains an answer of the model: all that a hook added before is then in the transcript, too.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        self.statement.is_some() || !self.calls.is_empty()
    }

    /// Whether the turn did more than read: a call of it wrote something, or was denied.
    #[must_use]
    pub fn did_something(&self) -> bool {
        let turn = &self.calls[self.calls.len() - self.this_turn.min(self.calls.len())..];
        turn.iter().any(|call| match call.status {
            Status::Denied => true,
            Status::Success | Status::Pending => call.writes,
            Status::Error | Status::Interrupted => false,
        })
    }
}

/// Reads the last `want` calls. `writes` tells whether a successful call changes something.
///
/// # Errors
/// [`Unread`] if there is no transcript, as at the beginning of a session.
pub fn recent(
    path: &Path,
    want: usize,
    until: Instant,
    writes: impl Fn(&str, &Value) -> bool,
) -> Result<Recent, Unread> {
    let mut found = Recent::default();
    let mut ends: HashMap<String, Status> = HashMap::new();
    let wants =
        |line: &[u8]| has(line, "tool_use") || has(line, "\"assistant\"") || has(line, "\"user\"");
    let coverage = walk(path, until, wants, |entry| {
        // Lines of sub-agents do not belong to the session's own.
        if entry.agent_id.is_none() {
            found.entries += 1;
            take(entry, want, &mut found, &mut ends, &writes);
        }
        let has_calls = found.calls.len() >= want;
        if has_calls && found.prompted.is_some() { Enough::Yes } else { Enough::No }
    })?;
    if found.prompted.is_none() {
        found.this_turn = found.calls.len();
    }
    found.calls.reverse();
    Ok(Recent { coverage, ..found })
}

fn take(
    entry: Entry,
    want: usize,
    found: &mut Recent,
    ends: &mut HashMap<String, Status>,
    writes: &impl Fn(&str, &Value) -> bool,
) {
    let is_model = entry.role == Role::Assistant;
    for block in entry.blocks.into_iter().rev() {
        match block {
            Block::ToolResult { id, is_error, text } => {
                ends.insert(id, status(is_error, entry.interrupted, &text));
            }
            Block::ToolUse { id, name, input } if is_model && found.calls.len() < want => {
                let end = ends.remove(&id);
                let writes = writes(&name, &input);
                let mut call = Done::new(id, name, &input);
                call.writes = writes;
                call.status = end.unwrap_or(Status::Pending);
                found.calls.push(call);
            }
            Block::Text(text) if is_model => {
                found.statement.get_or_insert(text);
            }
            Block::Text(text) if entry.role == Role::User && found.prompted.is_none() => {
                let is_prompt = matches!(origin(&text), Origin::Typed | Origin::SlashCommand);
                let is_marker = text.starts_with("[Request interrupted");
                let moment = entry.timestamp.as_deref().and_then(|text| text.parse().ok());
                found.prompted = moment.filter(|_| is_prompt && !is_marker);
                found.this_turn = found.calls.len();
            }
            _ => {}
        }
    }
}
