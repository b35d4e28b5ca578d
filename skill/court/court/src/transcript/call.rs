//! One tool call and its real end, as the transcript shows it. Not here: reading the transcript.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a subject, in characters.
const TARGET_MAX: usize = 160;

/// The end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It succeeded.
    Success,
    /// It failed.
    Error,
    /// It was interrupted.
    Interrupted,
    /// It was denied by a rule, a hook or the user.
    Denied,
    /// The transcript, which is written with a delay, has no result yet.
    Pending,
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// Refers to its result.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its file.
    pub path: Option<String>,
    /// The shell command, or another description of its subject; one line.
    pub what: Option<String>,
    /// Whether it changes something if it succeeds.
    pub writes: bool,
    /// How it ended.
    pub status: Status,
}

impl Done {
    /// A call without an end yet.
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

/// Prefixes of the court's own refusals, which the transcript contains verbatim.
pub const REFUSED: [&str; 3] = ["Court: ", "Court, level ", "The court could not judge "];

/// Prefixes of refusals that the client 2.1.197 writes as a tool's result.
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

/// Prefixes of interruptions.
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
