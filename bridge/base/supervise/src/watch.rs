//! A guarded program whose output is wanted while it runs: a command of a user or of a model.
//!
//! It runs as with [`crate::run()`] and leaves as little behind. What differs: stdout and stderr are handed
//! out as they come, in pieces that end anywhere; both count against one limit; a program that closes
//! its output may go on; and the limits of its processes are the caller's.
//!
//! Absent: lines, characters, and a terminal. The program's stdin is what the caller gave, then its end.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Command};
use crate::end::{Cause, Exit};
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::run::{Flood, Piece, Seen, Terms, run_isolated};

/// What a watched run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchBounds {
    /// When the program is to be ended, whatever it does.
    pub deadline: Instant,
    /// How much is handed out of stdout and stderr together before the program is killed, in bytes.
    pub output_max: u64,
    /// How long the program has to react to SIGINT.
    pub grace: Duration,
    /// Limits of each of its processes.
    pub limits: Limits,
}

/// What a watched run hands out. Each stream is in order; between the two the order is that of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chunk<'a> {
    /// The program runs, under this process id; the guard's where it cannot be known. Comes first, once.
    Started(u32),
    /// The next bytes of stdout; never none.
    Stdout(&'a [u8]),
    /// The next bytes of stderr; never none.
    Stderr(&'a [u8]),
}

/// How a watched run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watched {
    /// How the program itself ended.
    pub exit: Exit,
    /// Why the run is over: [`Cause::Exited`], [`Cause::Deadline`], [`Cause::Cancelled`],
    /// [`Cause::OutputLimit`] or [`Cause::GuardLost`].
    pub cause: Cause,
    /// Something that the program had started was still there when it ended by itself, and was killed.
    pub left_something: bool,
    /// How much stdout was handed out, in bytes.
    pub stdout_bytes: u64,
    /// How much stderr was handed out, in bytes.
    pub stderr_bytes: u64,
    /// From the call to the end.
    pub duration: Duration,
}

/// Runs one program to its end and hands out what it prints as it comes. A slow `on_chunk` slows the
/// program down; what is buffered stays below 130 KiB.
///
/// Returns when no process of the run is left: what the program left running is killed when it ends. At
/// the latest that is [`WatchBounds::grace`] and 1.6 s after the deadline or after `cancel`.
///
/// # Errors
///
/// [`SpawnError`] when the program never ran.
///
/// # Cancel safety
///
/// Dropped half way, every process of the run is killed at once.
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
            // It may live on as long as it likes after it has closed its output.
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
            // Before the program runs it is the guard that says why it does not.
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
