//! How the orchestrator and `context-inject` end, as a number. Never 1 or 2: to Claude Code, 2 would mean
//! that the prompt is refused.

use std::process::ExitCode;

/// An exit code of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// A report, also a degraded one that is of use, or nothing to say.
    Done = 0,
    /// The orchestrator failed, or said nothing that can be read. The report is empty.
    Unavailable = 10,
    /// The settings, or the command line, are wrong.
    Misconfigured = 20,
    /// The request cannot be read, or the orchestrator's JSON is no report.
    Unreadable = 30,
    /// No tool of use answered.
    NoTool = 40,
    /// No tool of use answered in time.
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

    /// What a number of the orchestrator's means; `None` for one that it never gives.
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
