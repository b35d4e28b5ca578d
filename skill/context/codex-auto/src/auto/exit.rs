//! The exit codes of `codex-auto`: those of every client of the bridge.

use std::process::ExitCode;

use contract::failure::{Failure, FailureKind};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Exit {
    /// There is an answer, or what else was asked for.
    Done = 0,
    /// The call must change.
    Input = 2,
    /// The bridge or its surroundings are broken.
    Bridge = 3,
    /// The model failed, timed out, or was cancelled.
    Codex = 4,
}

impl Exit {
    /// Who has to act after a failure.
    pub(super) fn of_failure(failure: &Failure) -> Self {
        match failure.error.kind {
            FailureKind::InputError => Self::Input,
            FailureKind::BridgeFailure => Self::Bridge,
            FailureKind::CodexFailure => Self::Codex,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
