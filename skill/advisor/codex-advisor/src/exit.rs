//! The exit codes. Every way this program ends is one of these.

use std::process::ExitCode;

use contract::failure::{Failure, FailureKind};
use contract::outcome::Outcome;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// There is advice, or what else was asked for.
    Done = 0,
    /// The question, the command line or what they name must change.
    Input = 2,
    /// The bridge or its surroundings are broken: go on without the advisor.
    Bridge = 3,
    /// The model failed, timed out or ran over budget.
    Codex = 4,
    /// The run goes on; it can be picked up.
    Pending = 5,
}

impl Exit {
    /// Who has to act after a failure.
    pub(crate) fn of_failure(failure: &Failure) -> Self {
        match failure.error.kind {
            FailureKind::InputError => Self::Input,
            FailureKind::BridgeFailure => Self::Bridge,
            FailureKind::CodexFailure => Self::Codex,
        }
    }

    /// How a run's outcome ends the program.
    pub(crate) fn of_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Advice(_) | Outcome::Turn(_) => Self::Done,
            Outcome::Failure(failure) => Self::of_failure(failure),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
