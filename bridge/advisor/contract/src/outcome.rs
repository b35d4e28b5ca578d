//! The outcome of a run: a report or a failure, and its response body.

use serde::Deserialize as _;
use serde_json::Value;

use crate::advice::Report;
use crate::failure::Failure;
use crate::orchestrate::TurnReport;
use crate::run::{RunKind, RunRecord, RunState};

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With advice.
    Advice(Box<Report>),
    /// With the answer of the user's own Codex.
    Turn(Box<TurnReport>),
    /// With a failure.
    Failure(Failure),
}

impl Outcome {
    /// The response body.
    #[must_use]
    pub fn body(&self) -> Value {
        let body = match self {
            Self::Advice(report) => serde_json::to_value(report),
            Self::Turn(report) => return report.body().clone(),
            Self::Failure(failure) => serde_json::to_value(failure),
        };
        body.expect("an outcome is plain JSON")
    }

    /// Parses the outcome of a successful run of this kind from its body; `None` if the body is malformed.
    #[must_use]
    pub fn report(kind: RunKind, body: &Value) -> Option<Self> {
        match kind {
            RunKind::Analyze => Report::read(body).map(Box::new).map(Self::Advice),
            RunKind::Orchestrate => {
                TurnReport::read(body.clone()).ok().map(Box::new).map(Self::Turn)
            }
        }
    }

    /// Parses a failure from a body; `None` if the body is malformed.
    #[must_use]
    pub fn failure(body: &Value) -> Option<Self> {
        Failure::deserialize(body).ok().map(Self::Failure)
    }
}

impl RunRecord {
    /// The outcome; `None` while the run continues, and if its body is not stored or of another version.
    #[must_use]
    pub fn ended(&self) -> Option<Outcome> {
        let body = self.outcome.as_ref()?;
        match self.run.state {
            RunState::Queued | RunState::Running => None,
            RunState::Succeeded => Outcome::report(self.run.kind, body),
            RunState::Failed | RunState::Cancelled | RunState::Interrupted => {
                Outcome::failure(body)
            }
        }
    }
}
