//! The exit codes, by who has to act.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// There is an answer, or the command has succeeded.
    Answered = 0,
    /// The program itself, or this machine, failed.
    Internal = 1,
    /// The command line, the configuration or the input is wrong.
    Usage = 2,
    /// There is no usable model or key.
    NoModel = 3,
    /// The provider failed, or the conversation is too long for the model.
    Provider = 4,
    /// A limit of turns or of cost was reached.
    Limit = 5,
    /// The user ended it with SIGINT.
    Interrupted = 130,
    /// It was ended with SIGTERM.
    Terminated = 143,
}

impl Exit {
    /// The exit code for the code of a turn's end.
    pub(crate) fn of_turn(code: u8) -> Self {
        let all = [
            Self::Answered,
            Self::Usage,
            Self::NoModel,
            Self::Provider,
            Self::Limit,
            Self::Interrupted,
            Self::Terminated,
        ];
        all.into_iter().find(|exit| *exit as u8 == code).unwrap_or(Self::Internal)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
