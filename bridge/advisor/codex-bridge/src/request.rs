//! What a caller asks for: a run, or a page of the history. Below the store and the service, which both take it.

use std::path::Path;

use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
use contract::input::{AdvisorInput, Options, Phase};
use contract::orchestrate::OrchestrateInput;
use contract::run::{RunKind, RunState};
use contract::workspace::Workspace;

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
pub enum AckMode {
    /// As soon as it is accepted.
    AtOnce,
    /// With its outcome.
    AtEnd,
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
