//! What a run comes to: a report or a failure, and the body that says so.

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
    /// With what the user's own Codex answered.
    Turn(Box<TurnReport>),
    /// With a failure.
    Failure(Failure),
}

impl Outcome {
    /// The body that the caller gets.
    #[must_use]
    pub fn body(&self) -> Value {
        let body = match self {
            Self::Advice(report) => serde_json::to_value(report),
            Self::Turn(report) => return report.body().clone(),
            Self::Failure(failure) => serde_json::to_value(failure),
        };
        body.expect("an outcome is plain JSON")
    }

    /// What a run of this kind that succeeded came to, from its body; `None` where the body is not that.
    #[must_use]
    pub fn report(kind: RunKind, body: &Value) -> Option<Self> {
        match kind {
            RunKind::Analyze => Report::read(body).map(Box::new).map(Self::Advice),
            RunKind::Orchestrate => {
                TurnReport::read(body.clone()).ok().map(Box::new).map(Self::Turn)
            }
        }
    }

    /// What a run that did not succeed came to, from its body; `None` where the body is no failure.
    #[must_use]
    pub fn failure(body: &Value) -> Option<Self> {
        Failure::deserialize(body).ok().map(Self::Failure)
    }
}

impl RunRecord {
    /// How the run ended; `None` while it goes on, and where its body is not kept or another version's.
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
