//! The exit codes of `codex-advisor`, which the clients of the daemon have in common. The programs choose; no other
//! file of a client makes a number.

use std::process::ExitCode;

use contract::failure::{Failure, FailureKind};
use contract::outcome::Outcome;

/// How a client ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// There is advice or an answer, or what else was asked for.
    Done = 0,
    /// The question, the command line or what they name must change.
    Input = 2,
    /// The bridge or its surroundings are broken: go on without it.
    Bridge = 3,
    /// The model failed, timed out, ran over budget, or was cancelled.
    Codex = 4,
    /// The run goes on; it can be picked up.
    Pending = 5,
}

impl Exit {
    /// Who has to act after a failure of this kind.
    #[must_use]
    pub fn of_kind(kind: FailureKind) -> Self {
        match kind {
            FailureKind::InputError => Self::Input,
            FailureKind::BridgeFailure => Self::Bridge,
            FailureKind::CodexFailure => Self::Codex,
        }
    }

    /// Who has to act after a failure.
    #[must_use]
    pub fn of_failure(failure: &Failure) -> Self {
        Self::of_kind(failure.error.kind)
    }

    /// How a run's outcome ends the program.
    #[must_use]
    pub fn of_outcome(outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Advice(_) | Outcome::Turn(_) => Self::Done,
            Outcome::Failure(failure) => Self::of_failure(failure),
        }
    }

    /// The end of the program, whose output may be lost: on a full disk a success is none.
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
