//! What goes into the service and comes out of it, apart from the contract's types.

use std::path::Path;

use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
use contract::input::{AdvisorInput, Options, Phase};
use contract::orchestrate::OrchestrateInput;
pub use contract::outcome::Outcome;
use contract::run::{RunKind, RunState, RunSummary};
use contract::workspace::Workspace;
use serde::Serialize;

/// What a caller asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Advice.
    Analyze(Box<AdvisorInput>),
    /// A turn of the user's own Codex.
    Orchestrate(Box<OrchestrateInput>),
}

impl Request {
    /// Which of the two.
    #[must_use]
    pub fn kind(&self) -> RunKind {
        match self {
            Self::Analyze(_) => RunKind::Analyze,
            Self::Orchestrate(_) => RunKind::Orchestrate,
        }
    }

    /// The session to continue. A turn opens one of its own.
    #[must_use]
    pub fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::Analyze(input) => input.session_id,
            Self::Orchestrate(_) => None,
        }
    }

    /// The phase of its round. A turn is its session's one round.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self {
            Self::Analyze(input) => input.phase,
            Self::Orchestrate(_) => Phase::Final,
        }
    }

    /// The folder that the request itself names.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Analyze(input) => input.workspace.as_deref(),
            Self::Orchestrate(input) => Some(&input.workspace),
        }
    }

    /// Bounds and choices for the run.
    #[must_use]
    pub fn options(&self) -> &Options {
        match self {
            Self::Analyze(input) => &input.options,
            Self::Orchestrate(input) => &input.options,
        }
    }

    /// The request as JSON. Two texts are equal exactly when the requests are.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = match self {
            Self::Analyze(input) => serde_json::to_string(input),
            Self::Orchestrate(input) => serde_json::to_string(input),
        };
        json.expect("a request that came as JSON goes back to JSON")
    }

    /// What the history shows of it.
    #[must_use]
    pub fn headline(&self) -> &str {
        match self {
            Self::Analyze(input) => &input.problem,
            Self::Orchestrate(input) => &input.prompt,
        }
    }
}

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
    /// Only runs of this kind.
    pub kind: Option<RunKind>,
    /// Only runs of this project.
    pub workspace: Option<Workspace>,
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
