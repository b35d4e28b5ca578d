//! `reviews.json` in the user's state folder: calls that wait for a review, and approvals that wait to be used.

use serde::{Deserialize, Serialize};

use super::{Folder, Record, VERSION};

/// The most requests, and the most approvals, that are kept.
const KEPT_MAX: usize = 200;

/// Requests and approvals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reviews {
    /// The version of this format.
    pub version: u32,
    /// The number of the last request.
    pub last_seq: u64,
    /// What was refused until it is reviewed, the oldest first.
    pub requests: Vec<Request>,
    /// What was approved and not used yet.
    pub approvals: Vec<Approval>,
    /// Commands of the historian that its hook let through: `court approve` asks for one.
    pub tickets: Vec<Approval>,
}

/// A call that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `R1`, `R2`, ...
    pub id: String,
    /// The digest of tool, input and working folder: what an approval is bound to.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The command, or the input as JSON; redacted and bounded.
    pub what: String,
    /// Where it was to run.
    pub cwd: String,
    /// Its level.
    pub level: String,
    /// The rules that it fell under.
    pub rules: Vec<String>,
    /// The session it was asked in.
    pub session_id: String,
    /// The sub-agent that asked; `None` for the main agent.
    pub agent_id: Option<String>,
    /// The client's id of the call, by which a call that ran all the same is noticed.
    pub tool_use_id: Option<String>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Something that is let through once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The digest of the call.
    pub digest: String,
    /// The request it answers.
    pub request: Option<String>,
    /// Who approved.
    pub by: Reviewer,
    /// When it ceases to hold, in milliseconds since 1970.
    pub expires_ms: u64,
}

/// Who reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reviewer {
    /// A person at a terminal.
    User,
    /// The historian sub-agent.
    Historian,
    /// Codex, through the bridge.
    Codex,
}

impl Default for Reviews {
    fn default() -> Self {
        Self {
            version: VERSION,
            last_seq: 0,
            requests: Vec::new(),
            approvals: Vec::new(),
            tickets: Vec::new(),
        }
    }
}

impl Record for Reviews {
    const FOLDER: Folder = Folder::Grants;
    const NAME: &'static str = "reviews.json";
    const BYTES_MAX: u64 = 4 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        self.requests.drain(..self.requests.len().saturating_sub(KEPT_MAX));
        self.approvals.drain(..self.approvals.len().saturating_sub(KEPT_MAX));
        self.tickets.drain(..self.tickets.len().saturating_sub(KEPT_MAX));
        Vec::new()
    }
}
