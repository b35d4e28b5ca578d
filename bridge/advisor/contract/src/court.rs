//! What `court window --json` prints for the daemon's pages: the projects in which sessions began, or one of them.
//! Texts that others wrote are cleaned of what a terminal obeys; the call of a request is whole, as the user approves
//! it. Times are in milliseconds since 1970.

use serde::{Deserialize, Serialize};

/// The most bytes that are printed: more is no answer.
pub const BYTES_MAX: usize = 1 << 20;

/// The length of a project's key, in hexadecimal digits.
const KEY: usize = 32;

/// Whether a text can be a project's key. It is a part of a path and of a link.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == KEY && text.bytes().all(is_digit)
}

/// Whether a text can be a request's id: `R` and a number.
#[must_use]
pub fn is_request_id(text: &str) -> bool {
    let number = text.strip_prefix('R').unwrap_or_default();
    (1..=18).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `court window`: the projects, the one whose session began last first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projects {
    /// The folder in which they are noted.
    pub folder: String,
    /// Who approves.
    pub approver: Approver,
    /// The projects.
    pub projects: Vec<Summary>,
    /// Older ones that are not told.
    pub left_out: usize,
}

/// `court window KEY`: one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Who approves.
    pub approver: Approver,
    /// What the list says of it.
    pub summary: Summary,
    /// What stands in the ledger, the newest first.
    pub anchors: Vec<Anchor>,
    /// Older ones that are not told.
    pub anchors_left_out: usize,
    /// Calls that wait, the newest first.
    pub requests: Vec<Request>,
    /// Older ones that are not told.
    pub requests_left_out: usize,
    /// The last fact packets, the newest first.
    pub packets: Vec<Packet>,
}

/// The key by which the user's approvals are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approver {
    /// Whether there is one, and who vouches for it.
    pub standing: Standing,
    /// Its fingerprint, where it is known.
    pub fingerprint: Option<String>,
    /// Why it is not believed.
    pub why: Option<String>,
}

/// Whether there is an approver, and who vouches for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It does not exist.
    Absent,
    /// Root vouches for it.
    Pinned,
    /// The user's own files vouch for it.
    Own,
    /// Something is there that is not believed: no approval of the user counts.
    Broken,
}

/// A project in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Names it in a link ([`is_key`]).
    pub key: String,
    /// Its root, an absolute path.
    pub root: String,
    /// When a session last began there.
    pub seen_ms: u64,
    /// What stands there; absent where there was no time to look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
}

/// What stands in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The phase of its manifest, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Risks that are not resolved.
    pub risks: usize,
    /// Tasks that are not over.
    pub tasks: usize,
    /// Decisions.
    pub decisions: usize,
    /// Calls that wait for a review.
    pub waiting: usize,
    /// What is replaced by its degraded form, or cannot be read, a line each.
    pub degraded: Vec<String>,
}

/// The phase of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The task.
    pub task: String,
    /// The phase that is on.
    pub current: String,
    /// Whether the user accepted the manifest; else its words are the project's.
    pub accepted: bool,
}

/// An entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// `decision_7`, `risk_8`, `task_9`.
    pub id: String,
    /// What it is.
    pub kind: AnchorKind,
    /// What was decided, is at risk or is being done.
    pub content: String,
    /// When it was made.
    pub at_ms: u64,
    /// Whether the court wrote it; else it came with the project and counts for nothing.
    pub own: bool,
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorKind {
    /// Something was decided or found out.
    Decision,
    /// A danger that stands until it is resolved.
    Risk,
    /// A task that is not over.
    Task,
}

/// A call that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Names it ([`is_request_id`]).
    pub id: String,
    /// All that an approval of it is bound to, as a digest.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The whole call; characters that are not seen are written as their numbers.
    pub call: String,
    /// Where it is to run.
    pub cwd: String,
    /// Its level.
    pub level: String,
    /// The rules that it fell under.
    pub rules: Vec<String>,
    /// The files that the judgement read.
    pub files: Vec<String>,
    /// The sub-agent that asked; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session in which it was asked.
    pub session_id: String,
    /// When.
    pub at_ms: u64,
    /// Until when it may run once, where it was approved and has not run yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_until_ms: Option<u64>,
    /// How the gate reads it now, as `court explain` says it.
    pub explained: String,
}

/// What happened in a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet {
    /// Its number.
    pub seq: u64,
    /// When it was made.
    pub at_ms: u64,
    /// How many calls it tells.
    pub calls: usize,
    /// The end of the model's last words.
    pub statement: String,
}

/// What the court prints where it did not do what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// Why, for the user.
    pub error: String,
}

#[cfg(test)]
mod tests {
    use super::{is_key, is_request_id};

    #[test]
    fn a_key_and_an_id_are_nothing_but_what_the_court_makes() {
        assert!(is_key("0123456789abcdef0123456789abcdef"));
        for other in
            ["", "0123456789abcdef0123456789abcde", "0123456789abcdef0123456789abcdeF", ".."]
        {
            assert!(!is_key(other), "{other}");
        }
        assert!(is_request_id("R1") && is_request_id("R123456789012345678"));
        for other in ["", "R", "r1", "R1 ", "R-1", "--json", "R1234567890123456789", "R1/.."] {
            assert!(!is_request_id(other), "{other}");
        }
    }
}
