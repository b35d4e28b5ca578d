//! How an entry ends, as a number of the contract. Never 1 or 2 for a prompt: to Claude Code, 2 would
//! mean that the prompt is refused.

use std::process::ExitCode;

/// An exit code of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// A report, also a degraded one that is of use, or nothing to say.
    Done = 0,
    /// There is no kernel, or it did not say anything that can be read. The injection is empty.
    Unavailable = 10,
    /// Settings or command line are wrong.
    Misconfigured = 20,
    /// The input cannot be read, or the kernel's JSON is no report.
    Unreadable = 30,
    /// No tool of use answered.
    NoTool = 40,
    /// Not in time.
    Late = 50,
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// What a number of the kernel's means; `None` for one that it never gives.
    #[must_use]
    pub fn of_kernel(code: i32) -> Option<Self> {
        let all = [
            Self::Done,
            Self::Unavailable,
            Self::Misconfigured,
            Self::Unreadable,
            Self::NoTool,
            Self::Late,
        ];
        all.into_iter().find(|exit| i32::from(exit.code()) == code)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
