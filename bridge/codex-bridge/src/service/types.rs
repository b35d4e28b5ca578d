//! What goes into the service and comes out of it, apart from the contract's types.

use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
pub use contract::outcome::Outcome;
use contract::run::{RunState, RunSummary};
use serde::Serialize;

/// When a caller learns of its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// As soon as it is accepted.
    AtOnce,
    /// With its outcome.
    AtItsEnd,
}

/// What a wait found.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// The run has ended.
    Done(Outcome),
    /// It goes on.
    Pending(RunSummary),
}

/// A caller's name for a request, so that a repetition is recognised. 1 to 255 visible ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// The key, if it has the right form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fits =
            (1..=255).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        fits.then(|| Self(text.to_owned()))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Which runs a history page shows, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// Only runs that failed with this code.
    pub code: Option<FailureCode>,
    /// Only runs of this session.
    pub session_id: Option<SessionId>,
    /// Only runs older than this one.
    pub before: Option<RunId>,
    /// At most this many (1 to 200).
    pub limit: Option<u16>,
}

/// One entry of a run's event log; `seq` counts from 1 and is the SSE id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunEvent {
    /// Position in the log.
    pub seq: u64,
    /// `queued`, `started`, `thread`, `progress`, `retry`, `report` or `failure`.
    pub event: String,
    /// The event's data.
    pub data: serde_json::Value,
}

/// Whether the daemon can do its work, and what to mend.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// Whether every check passed.
    pub ready: bool,
    /// Each check.
    pub checks: Vec<Check>,
}

/// One thing that must be right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Such as `codex_found`.
    pub name: &'static str,
    /// Whether it is right.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
