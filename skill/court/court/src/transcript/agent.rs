//! Measures one sub-agent by its whole transcript, which is the only source of its metrics besides the
//! client's own result.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use claude_hooks::transcript::{Block, Entry, Role, Usage};
use jiff::Timestamp;

use super::call::{Done, Status, status};
use super::{Coverage, Enough, Unread, has, walk};
use crate::records::Tokens;

/// Number of calls kept for a closer look.
const KEPT: usize = 40;

/// What a sub-agent did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    /// Number of tool calls.
    pub tool_calls: u64,
    /// The tools, without repeats.
    pub tools: BTreeSet<String>,
    /// Its last calls, oldest first.
    pub calls: Vec<Done>,
    /// Number of calls by status.
    pub ends: BTreeMap<&'static str, u64>,
    /// Whether a writing call succeeded: a tool that writes files, or a shell command that the
    /// gate does not judge as read-only.
    pub has_write: bool,
    /// Tokens of its requests.
    pub tokens: Tokens,
    /// Time of its first line.
    pub begun: Option<Timestamp>,
    /// Time of its last line.
    pub ended: Option<Timestamp>,
    /// It ends with the client's message that a request failed.
    pub failed: bool,
    /// It ends with the user's interruption.
    pub interrupted: bool,
    /// Its last message.
    pub statement: Option<String>,
    /// How much was read.
    pub coverage: Coverage,
}

impl Record {
    /// Whether every call has its result, and all `calls` are present.
    #[must_use]
    pub fn is_settled(&self, calls: u64) -> bool {
        self.tool_calls >= calls && !self.ends.contains_key(word(Status::Pending))
    }

    /// Time from the first line to the last, in milliseconds.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        let (begun, ended) = (self.begun?, self.ended?);
        u64::try_from(ended.as_millisecond() - begun.as_millisecond()).ok()
    }
}

/// The path of a sub-agent's transcript; `None` for an id that cannot be a file name.
#[must_use]
pub fn record_path(session: &Path, agent_id: &str) -> Option<PathBuf> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    let fits = !agent_id.is_empty() && agent_id.len() <= 128 && agent_id.chars().all(is_plain);
    fits.then(|| session.with_extension("").join(format!("subagents/agent-{agent_id}.jsonl")))
}

/// Measures a sub-agent's transcript. `writes` tells whether a successful call changes something.
///
/// # Errors
/// [`Unread`] if it cannot be read.
pub fn record(
    path: &Path,
    until: Instant,
    writes: impl Fn(&str, &serde_json::Value) -> bool,
) -> Result<Record, Unread> {
    let mut record = Record::default();
    let mut ends: HashMap<String, Status> = HashMap::new();
    let mut messages: HashMap<String, Usage> = HashMap::new();
    let mut is_last = true;
    let wants = |line: &[u8]| has(line, "\"assistant\"") || has(line, "\"user\"");
    let coverage = walk(path, until, wants, |entry| {
        let moment = entry.timestamp.as_deref().and_then(|text| text.parse().ok());
        record.ended = record.ended.or(moment);
        record.begun = moment.or(record.begun);
        if std::mem::take(&mut is_last) {
            record.failed = entry.role == Role::Failure;
            record.interrupted = tells_interruption(&entry);
        }
        if let (Some(id), Some(usage)) = (&entry.message_id, entry.usage) {
            messages.insert(id.clone(), usage);
        }
        take(entry, &mut record, &mut ends, &writes);
        Enough::No
    })?;
    record.calls.reverse();
    record.tokens = messages.values().map(tokens).fold(Tokens::default(), Tokens::plus);
    Ok(Record { coverage, ..record })
}

/// Tokens of one request. The client reports new, cached and newly cached input separately (2.1.197).
fn tokens(usage: &Usage) -> Tokens {
    let cached_input = usage.cache_read_input_tokens;
    let input = usage
        .input_tokens
        .saturating_add(usage.cache_creation_input_tokens)
        .saturating_add(cached_input);
    Tokens { input, cached_input, output: usage.output_tokens }
}

fn take(
    entry: Entry,
    record: &mut Record,
    ends: &mut HashMap<String, Status>,
    writes: &impl Fn(&str, &serde_json::Value) -> bool,
) {
    let is_model = entry.role == Role::Assistant;
    for block in entry.blocks.into_iter().rev() {
        match block {
            Block::ToolResult { id, is_error, text } => {
                ends.insert(id, status(is_error, entry.interrupted, &text));
            }
            Block::ToolUse { id, name, input } if is_model => {
                let end = ends.remove(&id).unwrap_or(Status::Pending);
                let writes = writes(&name, &input);
                record.has_write |= end == Status::Success && writes;
                let mut call = Done::new(id, name, &input);
                (call.status, call.writes) = (end, writes);
                record.tool_calls += 1;
                *record.ends.entry(word(end)).or_default() += 1;
                record.tools.insert(call.name.clone());
                if record.calls.len() < KEPT {
                    record.calls.push(call);
                }
            }
            Block::Text(text) if is_model => {
                record.statement.get_or_insert(text);
            }
            _ => {}
        }
    }
}

fn tells_interruption(entry: &Entry) -> bool {
    entry.blocks.iter().any(|block| match block {
        Block::Text(text) => text.starts_with("[Request interrupted"),
        _ => false,
    })
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Success => "success",
        Status::Error => "error",
        Status::Interrupted => "interrupted",
        Status::Denied => "denied",
        Status::Pending => "pending",
    }
}
