//! `reviews.json` in the user's state folder: calls that wait for a review, and unused approvals.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use ledger::records::{Folder, Record, VERSION};

use crate::approver::{Moment, Stretch};

/// Maximum number of requests, and of approvals.
const KEPT_MAX: usize = 200;
/// Maximum total size of the inputs of all requests, in bytes of JSON.
const INPUTS_MAX: usize = 1 << 20;

/// Requests and approvals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reviews {
    /// The version of this format.
    pub version: u32,
    /// The number of the last request.
    pub last_seq: u64,
    /// Refused calls that wait for a review, oldest first.
    pub requests: Vec<Request>,
    /// Unused approvals.
    pub approvals: Vec<Approval>,
    /// Commands of the historian that its hook allowed: `court approve` requires one.
    pub tickets: Vec<Approval>,
    /// Used signed approvals that have not expired: none can be used twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
    /// Calls that the user refused, until they expire.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
}

/// A call that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `R1`, `R2`, ...
    pub id: String,
    /// Digest of everything that an approval covers: tool, input, folders, session and files.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The command, or the input as JSON; redacted and truncated, for lists and for models.
    pub what: String,
    /// The whole input, which is hashed and shown to the user.
    #[serde(default)]
    pub input: Value,
    /// Identity of the project's root, besides its path.
    #[serde(default)]
    pub root: String,
    /// The files that the judgement depends on.
    #[serde(default)]
    pub files: Vec<SeenFile>,
    /// The working folder.
    pub cwd: String,
    /// Its level.
    pub level: String,
    /// The rules that matched.
    pub rules: Vec<String>,
    /// The session of the call.
    pub session_id: String,
    /// The sub-agent that made the call; `None` for the main agent.
    pub agent_id: Option<String>,
    /// The client's id of the call, to notice if it runs anyway.
    pub tool_use_id: Option<String>,
    /// Time of the request, in milliseconds since 1970.
    pub at_ms: u64,
}

/// A file that a judgement depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Its path.
    pub path: String,
    /// Digest of its content: `sha256:` and digits.
    pub digest: String,
}

/// The signature of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// A random number that makes it unique.
    pub nonce: String,
    /// The signature, in base64.
    pub signature: String,
}

/// A used signed approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Its nonce.
    pub nonce: String,
    /// When it would have expired, in milliseconds since 1970.
    pub expires_ms: u64,
}

/// A call that the user refused: until this expires it is not requested again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The digest of the call.
    pub digest: String,
    /// The refused request.
    pub request: String,
    /// Its validity.
    pub lasts: Stretch,
}

/// A permission to run one call once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The digest of the call.
    pub digest: String,
    /// The approved request.
    pub request: Option<String>,
    /// Who approved.
    pub by: Reviewer,
    /// When it expires, in milliseconds since 1970.
    pub expires_ms: u64,
    /// The same on a clock that cannot be set.
    #[serde(default)]
    pub lasts: Stretch,
    /// The user's signature, if there is an approver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
}

impl Approval {
    /// Whether it is valid at a moment, on both clocks.
    pub fn holds(&self, now: &Moment) -> bool {
        self.expires_ms == self.lasts.until_ms && self.lasts.surely_lasts(now)
    }
}

impl Reviews {
    /// The valid, unused approval of a request.
    pub fn approved(&self, request: &Request, now: &Moment) -> Option<&Approval> {
        let is_of = |approval: &&Approval| approval.digest == request.digest;
        self.approvals.iter().filter(is_of).find(|approval| approval.holds(now))
    }
}

/// A reviewer.
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
            spent: Vec::new(),
            refusals: Vec::new(),
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
        self.refusals.drain(..self.refusals.len().saturating_sub(KEPT_MAX));
        // Keep the newest, as many as fit into a file that can be read.
        let mut left = INPUTS_MAX;
        let fit = self.requests.iter().rev().take_while(|request| {
            let size = request.input.to_string().len() + request.what.len();
            left.checked_sub(size).map(|rest| left = rest).is_some()
        });
        let fit = fit.count();
        self.requests.drain(..self.requests.len() - fit);
        Vec::new()
    }
}
