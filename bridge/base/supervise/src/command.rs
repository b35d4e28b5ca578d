//! Input types of a run: the command, its limits, and the output passed to the caller.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

/// A program to run and its inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Absolute path of the executable; no search path is used.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The whole environment: nothing is inherited. One of its variables can mark the run for
    /// [`crate::sweep()`] ([`crate::Guard::with_marker`]).
    pub env: Vec<(OsString, OsString)>,
    /// The working directory.
    pub current_dir: PathBuf,
    /// Written to the program's stdin, which is then closed.
    pub stdin: Vec<u8>,
}

/// Limits of a run. Every run has limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// When the program is ended in any case.
    pub deadline: Instant,
    /// Limit of the stall clock, which the reader starts and stops ([`Clock`]).
    pub stall: Option<Duration>,
    /// Maximum length of a line, in bytes; a longer one is skipped, and counted if it
    /// was on stdout.
    pub line_max: usize,
    /// Maximum size of stdout before the program is killed, in bytes.
    pub total_max: u64,
    /// Number of bytes kept from the end of stderr.
    pub stderr_tail: usize,
    /// How long the program may take to react to SIGINT.
    pub grace: Duration,
    /// How long the program may continue after [`Flow::Last`] or after it closed stdout.
    pub exit_grace: Duration,
}

impl Bounds {
    /// The default limits: lines of 1 MiB, 64 MiB in all, 16 KiB of stderr, 700 ms after SIGINT,
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

/// Maximum length of a line in a talk, in bytes: `codex app-server` repeats a prompt of
/// 768 KiB in one line (codex 0.169), up to six bytes for each of its characters.
const TALK_LINE_MAX: usize = 4 << 20;

impl Bounds {
    /// The default limits of a talk: as [`Bounds::until`], with lines of 4 MiB.
    #[must_use]
    pub fn of_talk(deadline: Instant) -> Self {
        Self { line_max: TALK_LINE_MAX, ..Self::until(deadline) }
    }
}

/// Output of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output<'a> {
    /// The program was started. The first output, once.
    Started {
        /// The program's process id as the daemon sees it; the guard's if unknown.
        pid: u32,
        /// The guard's process id.
        guard: u32,
    },
    /// One line of stdout without its LF. Text after the last LF is not reported.
    Line(&'a [u8]),
    /// One line of stderr without its LF. Text after the last LF is reported as a line.
    StderrLine(&'a [u8]),
}

/// Output of a talk, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard<'a> {
    /// Output of the program, as in a run.
    Output(Output<'a>),
    /// The program is about to be interrupted: the last opportunity to send something. At most
    /// once.
    Ending,
}

/// The reader's reaction to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue. A line of stderr is kept for [`crate::Ended::stderr_tail`].
    Continue,
    /// Continue, and set the stall clock. A line of stderr is not kept: the reader has taken
    /// what it needs.
    Taken(Clock),
    /// This was the last line that matters: the program must exit within [`Bounds::exit_grace`].
    Last,
}

/// A change of the stall clock. It does not run until it is first started: silence of a
/// program says little, and only its reader knows what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// No change.
    Keep,
    /// Restart: the program is ended after [`Bounds::stall`].
    Start,
    /// Restart: the program is ended after this time.
    Within(Duration),
    /// Stop.
    Stop,
}
