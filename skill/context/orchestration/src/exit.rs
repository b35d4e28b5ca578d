//! The exit codes of the orchestrator and `context-inject`. Never 1 or 2: for Claude Code, 2 would mean
//! that the prompt is refused.

use std::process::ExitCode;

/// An exit code of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// A report, including a useful degraded one, or an intentionally empty result.
    Done = 0,
    /// The orchestrator failed, or its output cannot be parsed. The report is empty.
    Unavailable = 10,
    /// The settings, or the command line, are wrong.
    Misconfigured = 20,
    /// The request cannot be parsed, or the orchestrator's JSON is not a report.
    Unreadable = 30,
    /// No useful tool gave a result.
    NoTool = 40,
    /// No useful tool gave a result in time.
    Late = 50,
}

impl Exit {
    const ALL: [Self; 6] = [
        Self::Done,
        Self::Unavailable,
        Self::Misconfigured,
        Self::Unreadable,
        Self::NoTool,
        Self::Late,
    ];

    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The exit code for a number; `None` if the orchestrator never uses it.
    #[must_use]
    pub fn of_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|exit| i32::from(exit.code()) == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
