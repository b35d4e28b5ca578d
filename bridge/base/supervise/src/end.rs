//! The result of a run.

use std::time::Duration;

/// How a started program ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How the program itself ended.
    pub exit: Exit,
    /// Why the run ended.
    pub cause: Cause,
    /// The strongest signal that we sent; `None` if the program ended by itself.
    pub signal: Option<SignalSent>,
    /// The end of stderr, invalid UTF-8 replaced.
    pub stderr_tail: String,
    /// Number of bytes read from stdout.
    pub stdout_bytes: u64,
    /// Number of bytes read from stderr.
    pub stderr_bytes: u64,
    /// Number of lines over [`crate::Bounds::line_max`], which were skipped.
    pub long_lines: u64,
    /// The program's process id, as in [`crate::Output::Started`].
    pub pid: u32,
    /// Time from the call to the end.
    pub duration: Duration,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The program ended by itself.
    Exited,
    /// [`crate::Bounds::deadline`] passed.
    Deadline,
    /// The stall clock ran for [`crate::Bounds::stall`].
    Stalled,
    /// The cancellation token fired.
    Cancelled,
    /// Stdout exceeded [`crate::Bounds::total_max`].
    OutputLimit,
    /// The program closed stdout, or sent its last line, but did not exit.
    Lingered,
    /// The guard ended without a report about the program: something killed it.
    GuardLost,
}

/// The strongest signal sent to a program, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalSent {
    /// SIGINT was enough.
    Interrupt,
    /// SIGKILL to all processes.
    Kill,
}
