//! Runs a guarded program and passes on its output while it runs: for a command of a user or of a model.
//!
//! It runs as with [`crate::run()`] and leaves as little behind. The differences: stdout and stderr are passed
//! on as they come, in pieces of any length; both count against one limit; a program that closes
//! its output may continue; and the caller sets the limits of its processes.
//!
//! Not here: lines, characters, and a terminal. The program's stdin is the caller's text, then EOF.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Command};
use crate::end::{Cause, Exit};
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::run::{Flood, Piece, Seen, Terms, run_isolated};

/// Limits of a watched run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchBounds {
    /// When the program is ended in any case.
    pub deadline: Instant,
    /// Maximum size of stdout and stderr together before the program is killed, in bytes.
    pub output_max: u64,
    /// How long the program may take to react to SIGINT.
    pub grace: Duration,
    /// Limits of each of its processes.
    pub limits: Limits,
}

/// Output of a watched run. Each stream is in order; between the two the order is that of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// The program has started, with this process id; the guard's if unknown. The first output, once.
    Started(u32),
    /// The next bytes of stdout; never empty.
    Stdout(&'a [u8]),
    /// The next bytes of stderr; never empty.
    Stderr(&'a [u8]),
}

/// How a watched run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// How the program itself ended.
    pub exit: Exit,
    /// Why the run ended: [`Cause::Exited`], [`Cause::Deadline`], [`Cause::Cancelled`],
    /// [`Cause::OutputLimit`] or [`Cause::GuardLost`].
    pub cause: Cause,
    /// Descendants of the program were still running when it ended by itself, and were killed.
    pub left_something: bool,
    /// Number of bytes of stdout passed on.
    pub stdout_bytes: u64,
    /// Number of bytes of stderr passed on.
    pub stderr_bytes: u64,
    /// Time from the call to the end.
    pub duration: Duration,
}

/// Runs one program to its end and passes on its output as it comes. A slow `on_chunk` slows the
/// program down; less than 130 KiB are buffered.
///
/// Returns when no process of the run is left: descendants of the program are killed when it ends. At
/// the latest that is [`WatchBounds::grace`] and 1.6 s after the deadline or after `cancel`.
///
/// # Errors
///
/// [`SpawnError`] if the program could not be started.
///
/// # Cancel safety
///
/// If dropped, every process of the run is killed at once.
pub async fn watch(
    guard: &Guard,
    command: Command,
    bounds: WatchBounds,
    cancel: &CancellationToken,
    mut on_chunk: impl FnMut(Chunk<'_>) + Send,
) -> Result<Watched, SpawnError> {
    let isolation = guard.isolation().await;
    let terms = Terms {
        bounds: Bounds {
            total_max: bounds.output_max,
            grace: bounds.grace,
            // It may continue after it has closed its output.
            exit_grace: bounds.deadline.saturating_duration_since(Instant::now()),
            ..Bounds::until(bounds.deadline)
        },
        limits: bounds.limits,
        fence: guard.fence().await?,
        flood: Flood::OfBoth,
        is_stdin_open: false,
    };
    let (mut is_started, mut left_something) = (false, false);
    let ended = run_isolated(guard, isolation, command, terms, cancel, |piece, _| {
        match piece {
            Piece::Started { pid, .. } => {
                is_started = true;
                on_chunk(Chunk::Started(pid));
            }
            Piece::Left => left_something = true,
            Piece::Ending | Piece::Stdout([]) | Piece::Stderr { chunk: [], .. } => {}
            Piece::Stdout(chunk) => on_chunk(Chunk::Stdout(chunk)),
            // Before the program runs, stderr is the guard's, which prints the error.
            Piece::Stderr { chunk, tail } if !is_started => tail.push(chunk),
            Piece::Stderr { chunk, .. } => on_chunk(Chunk::Stderr(chunk)),
        }
        Seen::default()
    })
    .await?;
    Ok(Watched {
        exit: ended.exit,
        cause: ended.cause,
        left_something: left_something && ended.cause == Cause::Exited,
        stdout_bytes: ended.stdout_bytes,
        stderr_bytes: ended.stderr_bytes,
        duration: ended.duration,
    })
}
