//! The journal of a session, `.x-code/sessions/ID.jsonl`: a header, then one line per
//! entry. Not here: file access.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::{CallStatus, CommandRun, EndReason, PermitMode, TokenUsage};
use crate::id::SessionId;

/// The version of the journal's format.
const FORMAT: &str = "xc-session/1";

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format; set by [`Header::new`].
    schema: String,
    /// The session.
    pub id: SessionId,
    /// The root of the workspace.
    pub cwd: String,
    /// The version of the program.
    pub version: String,
    /// When the session began, RFC 3339 in UTC.
    pub at: String,
    /// The id of the process that began it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// Each further line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its line number, from 1, without gaps.
    pub n: u64,
    /// When it was written, RFC 3339 in UTC.
    pub at: String,
    /// Its content.
    pub entry: Entry,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// A prompt.
    User {
        /// The user's text, masked.
        text: String,
        /// What was added for the model, masked: code that was found, rules, notices.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        told: String,
    },
    /// One response of the model.
    Assistant {
        /// The model, as `provider:model`.
        model: String,
        /// Its text, masked.
        text: String,
        /// The reasoning that it showed, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// Data that only its provider understands and needs back, with the order of the response's
        /// parts: `[{"part": "text" | "reasoning" | "call", "text"?, "provider"?, "value"?}]`. A part
        /// without a text stands for the whole of [`Entry::Assistant`]'s; the calls are its calls, in order.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        opaque: Option<Value>,
        /// Its tool calls, in order.
        calls: Vec<Call>,
    },
    /// A call is about to run. Written to disk before it has any effect.
    Begun {
        /// The call's id.
        id: String,
        /// The tool.
        tool: String,
    },
    /// A call has ended.
    Result {
        /// The call's id.
        id: String,
        /// How it ended.
        status: CallStatus,
        /// The text that the model got: masked, truncated.
        text: String,
        /// Whether the text was truncated.
        truncated: bool,
        /// The files that it changed, relative to the workspace if they lie in it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changed: Vec<String>,
        /// The command that it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<CommandRun>,
    },
    /// Usage of a model request.
    Usage {
        /// Its tokens.
        usage: TokenUsage,
        /// Estimated cost in US dollars; absent if the model's price is unknown.
        cost_usd: Option<f64>,
    },
    /// For the model, the lines before are replaced by a summary.
    Compact {
        /// The summary as the model gets it.
        summary: String,
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
        /// Number of the first line that the model still gets in full.
        kept_from: u64,
    },
    /// The permission mode was changed.
    Mode {
        /// The new mode.
        mode: PermitMode,
        /// In plan mode, the name of the plan: `.x-code/plans/NAME.md`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<String>,
    },
    /// The model was switched.
    Model {
        /// The previous model.
        from: String,
        /// The new model.
        to: String,
        /// The reason as text.
        why: String,
    },
    /// The file changes of a turn were undone.
    Undo {
        /// The number of the turn's prompt line.
        turn: u64,
        /// The restored files.
        files: Vec<String>,
    },
    /// A notice about the session.
    Note {
        /// One line of text.
        text: String,
        /// The process that took the journal over, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pid: Option<u32>,
    },
    /// A command started in the background, or ended there.
    Task {
        /// Its number in the session.
        task: u64,
        /// The command, masked.
        command: String,
        /// How it ended, as text; absent at its start.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ended: Option<String>,
    },
    /// A turn has ended.
    End {
        /// The reason.
        reason: EndReason,
    },
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The call's id, used in its result.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, masked.
    pub input: Value,
}

/// The fields before an [`Entry`].
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

    /// The version of the format, for the error message about an unknown one.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// Whether this program can read the journal's format.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.schema == FORMAT
    }
}

impl Line {
    /// Parses a line that is not the first.
    ///
    /// # Errors
    /// The line cannot be parsed, for example because the program was killed while writing it.
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
