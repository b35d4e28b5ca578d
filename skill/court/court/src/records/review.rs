//! `reviews.json` in the user's state folder: calls that wait for a review, and approvals that wait to be used.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use ledger::records::{Folder, Record, VERSION};

use crate::approver::{Moment, Stretch};

/// The most requests, and the most approvals, that are kept.
const KEPT_MAX: usize = 200;
/// How much the inputs of all requests may take, in bytes of JSON.
const INPUTS_MAX: usize = 1 << 20;

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
    /// Signed approvals that were used and whose time is not over: none is used twice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spent: Vec<Spent>,
    /// What the user refused and whose time is not over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<Refusal>,
}

/// A call that waits for a review.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `R1`, `R2`, ...
    pub id: String,
    /// The digest of all that an approval is bound to: tool, input, folders, session and files.
    pub digest: String,
    /// The tool.
    pub tool: String,
    /// The command, or the input as JSON; redacted and bounded, for lists and for models.
    pub what: String,
    /// The whole input, from which the digest is made and which the user is shown.
    #[serde(default)]
    pub input: Value,
    /// Which folder the project's root is, beside its path.
    #[serde(default)]
    pub root: String,
    /// The files that the judgement read.
    #[serde(default)]
    pub files: Vec<SeenFile>,
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

/// A file that a judgement read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenFile {
    /// Its path.
    pub path: String,
    /// What tells its content from any other: `sha256:` and digits.
    pub digest: String,
}

/// The signature of an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// What makes it different from every other.
    pub nonce: String,
    /// The signature, in base64.
    pub signature: String,
}

/// A signed approval that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Its nonce.
    pub nonce: String,
    /// When it would have ceased to hold, in milliseconds since 1970.
    pub expires_ms: u64,
}

/// A call that the user refused: until its time is over it is not asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The digest of the call.
    pub digest: String,
    /// The request that it was.
    pub request: String,
    /// How long it holds.
    pub lasts: Stretch,
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
    /// The same by a clock that cannot be set.
    #[serde(default)]
    pub lasts: Stretch,
    /// The user's signature, where there is an approver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signed>,
}

impl Approval {
    /// Whether it holds at a moment, by every clock.
    pub fn holds(&self, now: &Moment) -> bool {
        self.expires_ms == self.lasts.until_ms && self.lasts.surely_lasts(now)
    }
}

impl Reviews {
    /// The approval of a request that holds and was not used.
    pub fn approved(&self, request: &Request, now: &Moment) -> Option<&Approval> {
        let is_of = |approval: &&Approval| approval.digest == request.digest;
        self.approvals.iter().filter(is_of).find(|approval| approval.holds(now))
    }
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
        // The newest are kept, as far as all of them fit into a file that is read.
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
