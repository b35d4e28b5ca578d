//! The exit codes of `codex-advisor`, shared by all clients of the daemon. No other code of a client defines an
//! exit code.

use std::process::ExitCode;

use contract::failure::{Failure, FailureKind};
use contract::outcome::Outcome;

/// How a client exits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// There is advice or an answer, or the command has succeeded.
    Done = 0,
    /// The question, the command line or a file that they name is wrong.
    Input = 2,
    /// The bridge or its environment is broken: continue without it.
    Bridge = 3,
    /// The model failed, timed out, ran over budget, or was cancelled.
    Codex = 4,
    /// The run continues; its result can be fetched later.
    Pending = 5,
}

impl Exit {
    /// The exit code for a failure of this kind.
    #[must_use]
    pub fn of_kind(kind: FailureKind) -> Self {
        match kind {
            FailureKind::InputError => Self::Input,
            FailureKind::BridgeFailure => Self::Bridge,
            FailureKind::CodexFailure => Self::Codex,
        }
    }

    /// The exit code for a failure.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Self {
        Self::of_kind(failure.error.kind)
    }

    /// The exit code for a run's outcome.
    #[must_use]
    pub fn of_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Advice(_) | Outcome::Turn(_) => Self::Done,
            Outcome::Failure(failure) => Self::of_failure(failure),
        }
    }

    /// Adjusts the exit code when the output could not be written: on a full disk, a success becomes a failure.
    #[must_use]
    pub fn with_output(self) -> Self {
        if self == Self::Done && host::streams::output_lost() { Self::Bridge } else { self }
    }

    /// The number.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
