//! The output of `court window --json` for the daemon's pages: all projects in which a session began, or one of them.
//! Terminal control sequences are removed from texts of others; the call of a request is complete, because the user
//! approves it. Times are in milliseconds since 1970.

use serde::{Deserialize, Serialize};

/// Maximum size of the output in bytes; longer output is invalid.
pub const BYTES_MAX: usize = 1 << 20;

/// Length of a project's key, in hexadecimal digits.
const KEY: usize = 32;

/// Whether a text has the form of a project's key, which is part of a path and of a link.
#[must_use]
pub fn is_key(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == KEY && text.bytes().all(is_digit)
}

/// Whether a text has the form of a request's id: `R` and a number.
#[must_use]
pub fn is_request_id(text: &str) -> bool {
    let number = text.strip_prefix('R').unwrap_or_default();
    (1..=18).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `court window`: the projects, those with the latest session first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Projects {
    /// The folder that lists them.
    pub folder: String,
    /// The approver.
    pub approver: Approver,
    /// The projects.
    pub projects: Vec<Summary>,
    /// Number of older projects that are left out.
    pub left_out: usize,
}

/// `court window KEY`: one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// The approver.
    pub approver: Approver,
    /// The project as in the list.
    pub summary: Summary,
    /// Entries of the ledger, newest first.
    pub anchors: Vec<Anchor>,
    /// Number of older entries that are left out.
    pub anchors_left_out: usize,
    /// Calls that wait for approval, newest first.
    pub requests: Vec<Request>,
    /// Number of older calls that are left out.
    pub requests_left_out: usize,
    /// The latest fact packets, newest first.
    pub packets: Vec<Packet>,
}

/// The key that authenticates the user's approvals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approver {
    /// Whether the key exists, and how it is trusted.
    pub standing: Standing,
    /// Its fingerprint, if known.
    pub fingerprint: Option<String>,
    /// Why it is not trusted.
    pub why: Option<String>,
}

/// Whether an approver exists, and how it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It does not exist.
    Absent,
    /// Pinned in a file owned by root.
    Pinned,
    /// Trusted by a file of the user.
    Own,
    /// It exists but is not trusted: no approval of the user counts.
    Broken,
}

/// A project in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The key, used in links ([`is_key`]).
    pub key: String,
    /// Its root, an absolute path.
    pub root: String,
    /// When the latest session began there.
    pub seen_ms: u64,
    /// Its state; absent if there was no time to read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
}

/// State of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The phase of its manifest, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// Number of unresolved risks.
    pub risks: usize,
    /// Number of open tasks.
    pub tasks: usize,
    /// Number of decisions.
    pub decisions: usize,
    /// Number of calls that wait for a review.
    pub waiting: usize,
    /// What is degraded or cannot be read, one line each.
    pub degraded: Vec<String>,
}

/// The phase of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The task.
    pub task: String,
    /// The current phase.
    pub current: String,
    /// Whether the user accepted the manifest; otherwise its text comes from the project.
    pub accepted: bool,
}

/// An entry of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// `decision_7`, `risk_8`, `task_9`.
    pub id: String,
    /// Its kind.
    pub kind: AnchorKind,
    /// The decision, the risk or the task.
    pub content: String,
    /// When it was created.
    pub at_ms: u64,
    /// Whether the court wrote it; otherwise it came with the project and has no effect.
    pub own: bool,
}

/// The kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorKind {
    /// A decision or a finding.
    Decision,
    /// An unresolved risk.
    Risk,
    /// An open task.
    Task,
}

/// A call that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The id ([`is_request_id`]).
    pub id: String,
    /// Digest of everything that an approval covers.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The whole call; invisible characters are shown by their code points.
    pub call: String,
    /// The working directory of the call.
    pub cwd: String,
    /// Its level.
    pub level: String,
    /// The rules that matched.
    pub rules: Vec<String>,
    /// The files that the judgement read.
    pub files: Vec<String>,
    /// The sub-agent that made the call; absent for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The session of the call.
    pub session_id: String,
    /// When the call was made.
    pub at_ms: u64,
    /// Until when it may run once, if it was approved and has not run yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_until_ms: Option<u64>,
    /// The gate's current judgement, as `court explain` prints it.
    pub explained: String,
}

/// A summary of one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packet {
    /// Its sequence number.
    pub seq: u64,
    /// When it was created.
    pub at_ms: u64,
    /// Number of calls in the turn.
    pub calls: usize,
    /// The end of the model's last message.
    pub statement: String,
}

/// The output of the court if it did not do what was requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// The reason, for the user.
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
