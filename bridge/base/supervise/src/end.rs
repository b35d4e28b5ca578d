//! How a run ended.

use std::time::Duration;

/// What became of a program that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How the program itself ended.
    pub exit: Exit,
    /// Why the run is over.
    pub cause: Cause,
    /// The strongest signal that we sent; `None` where the program ended by itself.
    pub signal: Option<SignalSent>,
    /// The end of stderr, invalid UTF-8 replaced.
    pub stderr_tail: String,
    /// How much stdout was read.
    pub stdout_bytes: u64,
    /// How much stderr was read.
    pub stderr_bytes: u64,
    /// How many lines were over [`crate::Bounds::line_max`] and skipped.
    pub long_lines: u64,
    /// The program's process id, as in [`crate::Output::Started`].
    pub pid: u32,
    /// From the call to the end.
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

/// Why a run is over.
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
    /// More than [`crate::Bounds::total_max`] came on stdout.
    OutputLimit,
    /// The program closed stdout, or its last line was seen, but it lived on.
    Lingered,
    /// The guard ended without a word about the program: something killed it.
    GuardLost,
}

/// The strongest signal that a program was sent, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignalSent {
    /// SIGINT was enough.
    Interrupt,
    /// SIGKILL to everything.
    Kill,
}
