//! What to run, within which bounds, and what is handed out while it runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

/// A program to run and everything it is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Absolute path of the executable; no search path is used.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The whole environment: nothing is inherited. A variable of it may mark the run for
    /// [`crate::sweep()`] ([`crate::Guard::with_marker`]).
    pub env: Vec<(OsString, OsString)>,
    /// Where the program starts.
    pub current_dir: PathBuf,
    /// Written to the program's stdin, which is then closed.
    pub stdin: Vec<u8>,
}

/// What a run may take. There is no unbounded run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// When the program is to be ended, whatever it does.
    pub deadline: Instant,
    /// How long the stall clock may run; the reader starts it and stops it ([`Clock`]).
    pub stall: Option<Duration>,
    /// The longest line that is handed out, in bytes; a longer one is skipped, and counted where it
    /// came on stdout.
    pub line_max: usize,
    /// How much stdout is read before the program is killed, in bytes.
    pub total_max: u64,
    /// How much of the end of stderr is kept, in bytes.
    pub stderr_tail: usize,
    /// How long the program has to react to SIGINT.
    pub grace: Duration,
    /// How long the program may live on after [`Flow::Last`] or after it closed stdout.
    pub exit_grace: Duration,
}

impl Bounds {
    /// The usual bounds: lines of 1 MiB, 64 MiB in all, 16 KiB of stderr, 700 ms after SIGINT,
    /// 2 s between the last line and the exit (each measured to suffice for codex 0.169), no stall.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            stall: None,
            line_max: 1 << 20,
            total_max: 64 << 20,
            stderr_tail: 16 << 10,
            grace: Duration::from_millis(700),
            exit_grace: Duration::from_secs(2),
        }
    }
}

/// The longest line of a program that is talked to, in bytes: `codex app-server` repeats a prompt of
/// 768 KiB in one line (codex 0.169), up to six bytes for each of its characters.
const TALK_LINE_MAX: usize = 4 << 20;

impl Bounds {
    /// The usual bounds of a talk: as [`Bounds::until`], with lines of 4 MiB.
    #[must_use]
    pub fn of_talk(deadline: Instant) -> Self {
        Self { line_max: TALK_LINE_MAX, ..Self::until(deadline) }
    }
}

/// What a run hands out, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output<'a> {
    /// The program runs. Comes first, once.
    Started {
        /// The program's process id as the daemon sees it; the guard's where it cannot be known.
        pid: u32,
        /// The guard's process id.
        guard: u32,
    },
    /// One line of stdout without its LF. What follows the last LF is not a line.
    Line(&'a [u8]),
    /// One line of stderr without its LF. What follows the last LF is a line as well.
    StderrLine(&'a [u8]),
}

/// What a talk hands out, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// What the program printed, as a run hands it out.
    Output(Output<'a>),
    /// The program is about to be interrupted: this is the time for last words. Comes once, at the
    /// most.
    Ending,
}

/// What the reader of the lines expects next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// More lines. A line of stderr is kept for [`crate::Ended::stderr_tail`].
    Continue,
    /// More lines, and the stall clock is set. A line of stderr is not kept: the reader has taken
    /// from it what it needs.
    Taken(Clock),
    /// Nothing that matters: the program is to exit within [`Bounds::exit_grace`].
    Last,
}

/// What becomes of the clock that measures a stall. It stands still until it is first started: that
/// a program prints nothing says little, what it waits for is known to its reader only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// It goes on as it did.
    Keep,
    /// It starts, anew where it ran: the program is ended after [`Bounds::stall`].
    Start,
    /// It starts, anew where it ran: the program is ended after this time.
    Within(Duration),
    /// It stands still.
    Stop,
}
