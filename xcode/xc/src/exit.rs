//! The exit codes: they tell who has to act.

use std::process::ExitCode;

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// There is an answer, or what was asked for was done.
    Answered = 0,
    /// The program itself, or this machine, failed.
    Internal = 1,
    /// The command line, the configuration or the input must change.
    Usage = 2,
    /// There is no usable model or key.
    NoModel = 3,
    /// The user ended it with SIGINT.
    Interrupted = 130,
    /// It was ended with SIGTERM.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
