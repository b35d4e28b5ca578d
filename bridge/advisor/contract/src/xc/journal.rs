//! The journal of a session, `.x-code/sessions/ID.jsonl`: a header, then one line for each thing that
//! happened. Absent: files.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::{CallStatus, CommandRun, EndReason, PermitMode, TokenUsage};
use crate::id::SessionId;

/// The version of the journal's format.
const FORMAT: &str = "xc-session/1";

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format, [`Header::new`] sets it.
    schema: String,
    /// The session.
    pub id: SessionId,
    /// The root of the workspace.
    pub cwd: String,
    /// The version of the program.
    pub version: String,
    /// When the session began, RFC 3339 in UTC.
    pub at: String,
    /// The process that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// Each further line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its number, from 1, without a gap.
    pub n: u64,
    /// When it was written, RFC 3339 in UTC.
    pub at: String,
    /// What happened.
    pub entry: Entry,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// A prompt.
    User {
        /// What the user said, masked.
        text: String,
        /// What was told the model behind it, masked: code that was found, rules, news.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        told: String,
    },
    /// One answer of the model.
    Assistant {
        /// The model, as `provider:model`.
        model: String,
        /// What it said, masked.
        text: String,
        /// What it showed of its thinking, where it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// What only its own provider understands and wants back, with the order of the answer's
        /// parts: `[{"part": "text" | "reasoning" | "call", "text"?, "provider"?, "value"?}]`. A part
        /// without a text has all of [`Entry::Assistant`]'s; the calls are its calls, in order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Value>,
        /// The calls that it asked for, in order.
        calls: Vec<Call>,
    },
    /// A call is about to run. It is on disk before anything happens.
    Begun {
        /// The call.
        id: String,
        /// The tool.
        tool: String,
    },
    /// A call has ended.
    Result {
        /// The call.
        id: String,
        /// How.
        status: CallStatus,
        /// What the model saw of it: masked, truncated.
        text: String,
        /// Whether something was left out.
        truncated: bool,
        /// The files that it changed, relative to the workspace where they lie in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
        /// The command that it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<CommandRun>,
    },
    /// What a model call took.
    Usage {
        /// Its tokens.
        usage: TokenUsage,
        /// Estimated cost in US dollars; none where the model's price is not known.
        cost_usd: Option<f64>,
    },
    /// The lines before are replaced by a summary for the model.
    Compact {
        /// The summary, in the words that the model sees.
        summary: String,
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
        /// The number of the first line that the model still sees as it was.
        kept_from: u64,
    },
    /// How calls are judged changes.
    Mode {
        /// From now on.
        mode: PermitMode,
        /// Where it is plan mode, the name of the plan: `.x-code/plans/NAME.md`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<String>,
    },
    /// Another model goes on.
    Model {
        /// The model until now.
        from: String,
        /// The model from now on.
        to: String,
        /// Why, in words.
        why: String,
    },
    /// What a turn changed on disk was taken back.
    Undo {
        /// The number of the turn's prompt line.
        turn: u64,
        /// The files that are as they were before.
        files: Vec<String>,
    },
    /// Something that happened to the session.
    Note {
        /// A line.
        text: String,
        /// The process that has the journal from now on, where another one took it over.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// A command began to run in the background, or has ended there.
    Task {
        /// Its number in the session.
        task: u64,
        /// The command, masked.
        command: String,
        /// How it ended, in words; none where it has begun.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<String>,
    },
    /// A turn has ended.
    End {
        /// Why.
        reason: EndReason,
    },
}

/// A call that the model asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The call; its result names it.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, masked.
    pub input: Value,
}

/// What stands in front of an [`Entry`].
#[derive(Deserialize)]
struct Head {
    n: u64,
    at: String,
}

impl Header {
    /// The header of a new journal.
    #[must_use]
    pub fn new(id: SessionId, cwd: String, version: String, at: String) -> Self {
        Self { schema: FORMAT.to_owned(), id, cwd, version, at, pid: None }
    }

    /// The version of the format, for the words that refuse another.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Whether the journal is of a format that this program reads.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.schema == FORMAT
    }
}

impl Line {
    /// Reads a line that is not the first.
    ///
    /// # Errors
    /// When the line cannot be read, for example because a kill has cut it.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        let Head { n, at } = serde_json::from_str(line)?;
        Ok(Self { n, at, entry: serde_json::from_str(line)? })
    }
}

impl Serialize for Line {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'l> {
            n: u64,
            at: &'l str,
            #[serde(flatten)]
            entry: &'l Entry,
        }
        Whole { n: self.n, at: &self.at, entry: &self.entry }.serialize(serializer)
    }
}
