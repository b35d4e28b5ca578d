//! One tool call and how it truly ended, as the record says. Absent: reading the record.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How long a target is shown, in characters.
const TARGET_MAX: usize = 160;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It did what it was asked for.
    Success,
    /// It failed.
    Error,
    /// It was stopped half way.
    Interrupted,
    /// It never ran: a rule, a hook or the user refused it.
    Denied,
    /// The record has no result; it lags behind what happens.
    Pending,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Ties it to its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The file that it is about.
    pub path: Option<String>,
    /// The shell command, or what else says best what it was about; one line.
    pub what: Option<String>,
    /// It changes something where it succeeds.
    pub writes: bool,
    /// How it ended.
    pub status: Status,
}

impl Done {
    /// A call whose end is not known yet.
    pub(super) fn new(id: String, name: String, input: &Value) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        let path = ["file_path", "notebook_path", "path"].into_iter().find_map(text);
        let what = ["command", "url", "description", "skill", "query", "pattern"];
        let what = what.into_iter().find_map(text).filter(|_| path.is_none());
        let short = |text: &str| crate::fence::sanitize_line(text, TARGET_MAX);
        Self {
            id,
            path: path.map(short),
            what: what.map(short),
            name: crate::fence::sanitize_line(&name, TARGET_MAX),
            writes: false,
            status: Status::Pending,
        }
    }
}

/// How the court's own refusals begin; they stand in the record word for word.
pub const REFUSED: [&str; 3] = ["Court: ", "Court, level ", "The court could not judge "];

/// How refusals begin that the client 2.1.197 writes as a tool's result.
const DENIED: [&str; 8] = [
    "Claude requested permissions to ",
    "This command requires approval",
    "This Bash command contains multiple operations. The following parts require approval",
    "Permission to use ",
    "Permission for this ",
    "The user doesn't want to proceed with this tool use",
    "Hook PreToolUse:",
    "PreToolUse:",
];

/// How interruptions begin.
const INTERRUPTED: [&str; 2] =
    ["[Request interrupted by user", "The user doesn't want to take this action right now"];

/// The end of a call, from its result.
pub(super) fn status(is_error: bool, interrupted: bool, text: &str) -> Status {
    let text = text.trim_start().trim_start_matches("<tool_use_error>").trim_start();
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    if interrupted || (is_error && begins(&INTERRUPTED)) {
        Status::Interrupted
    } else if is_error
        && (begins(&DENIED) || begins(&REFUSED) || text.contains("while in plan mode"))
    {
        Status::Denied
    } else if is_error {
        Status::Error
    } else {
        Status::Success
    }
}
