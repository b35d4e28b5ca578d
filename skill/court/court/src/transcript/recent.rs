//! The end of a session's record: the last calls, the last words, when the turn began.

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use claude_hooks::prompt::{Origin, origin};
use claude_hooks::transcript::{Block, Entry, Role};
use jiff::Timestamp;
use serde_json::Value;

use super::call::{Done, Status, status};
use super::{Coverage, Enough, Unread, has, walk};

/// What the end of a record says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recent {
    /// The last calls, the oldest first.
    pub calls: Vec<Done>,
    /// The last words of the model. The very last may still be missing from the record.
    pub statement: Option<String>,
    /// When the prompt came that is being worked on.
    pub prompted: Option<Timestamp>,
    /// How many of the calls belong to the turn of that prompt.
    pub this_turn: usize,
    /// How many lines were understood.
    pub entries: usize,
    /// How much was looked at.
    pub coverage: Coverage,
}

impl Recent {
    /// Whether every call has its result.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.calls.iter().all(|call| call.status != Status::Pending)
    }

    /// Whether each of these calls is in it.
    #[must_use]
    pub fn has_all(&self, ids: &[String]) -> bool {
        ids.iter().all(|id| self.calls.iter().any(|call| call.id == *id))
    }

    /// Whether the model was seen in it: all that a hook added before its first answer stands before that.
    #[must_use]
    pub fn has_answer(&self) -> bool {
        self.statement.is_some() || !self.calls.is_empty()
    }

    /// Whether the turn did more than read: a call of it wrote something, or was refused.
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

/// Reads the last `want` calls. `writes` says whether a call that succeeds changes something.
///
/// # Errors
/// [`Unread`] when there is no record, which is so at the beginning of a session.
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
        // A sub-agent's lines are not the session's.
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
