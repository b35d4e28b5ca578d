//! How the program ends, as a number. Never 1 or 2: to Claude Code, 2 would mean that the prompt is
//! refused.

/// An exit code of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// A report, also a degraded one that is of use.
    Done,
    /// The kernel itself failed; the report is empty.
    Unavailable,
    /// The settings, or the command line, are wrong.
    Misconfigured,
    /// The request cannot be read.
    Unreadable,
    /// No tool of use answered.
    NoTool,
    /// No tool of use answered in time.
    Late,
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Unavailable => 10,
            Self::Misconfigured => 20,
            Self::Unreadable => 30,
            Self::NoTool => 40,
            Self::Late => 50,
        }
    }
}
