//! A caller's request: a run, or a page of the history. The store and the service both depend on this module.

use std::path::Path;

use contract::failure::FailureCode;
use contract::id::{RunId, SessionId};
use contract::input::{AdvisorInput, Options, Phase};
use contract::orchestrate::OrchestrateInput;
use contract::run::{RunKind, RunState};
use contract::workspace::Workspace;

/// A caller's request for a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Advice.
    Analyze(Box<AdvisorInput>),
    /// A turn of the user's own Codex.
    Orchestrate(Box<OrchestrateInput>),
}

impl Request {
    /// The kind of the request.
    #[must_use]
    pub fn kind(&self) -> RunKind {
        match self {
            Self::Analyze(_) => RunKind::Analyze,
            Self::Orchestrate(_) => RunKind::Orchestrate,
        }
    }

    /// The session to continue. A turn always opens a new one.
    #[must_use]
    pub fn session_id(&self) -> Option<SessionId> {
        match self {
            Self::Analyze(input) => input.session_id,
            Self::Orchestrate(_) => None,
        }
    }

    /// The phase of its round. A turn is the only round of its session.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self {
            Self::Analyze(input) => input.phase,
            Self::Orchestrate(_) => Phase::Final,
        }
    }

    /// The folder named by the request.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self {
            Self::Analyze(input) => input.workspace.as_deref(),
            Self::Orchestrate(input) => Some(&input.workspace),
        }
    }

    /// Limits and options of the run.
    #[must_use]
    pub fn options(&self) -> &Options {
        match self {
            Self::Analyze(input) => &input.options,
            Self::Orchestrate(input) => &input.options,
        }
    }

    /// The request as JSON. Two results are equal exactly if the requests are.
    #[must_use]
    pub fn to_json(&self) -> String {
        let json = match self {
            Self::Analyze(input) => serde_json::to_string(input),
            Self::Orchestrate(input) => serde_json::to_string(input),
        };
        json.expect("a request that came as JSON goes back to JSON")
    }

    /// The title shown in the history.
    #[must_use]
    pub fn headline(&self) -> &str {
        match self {
            Self::Analyze(input) => &input.problem,
            Self::Orchestrate(input) => &input.prompt,
        }
    }
}

/// When the caller is told the run's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AckMode {
    /// As soon as it is accepted.
    AtOnce,
    /// Together with its outcome.
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
