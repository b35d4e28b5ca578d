//! Runs a short command and collects its output, such as a version or a status.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Command};
use crate::confine::Fence;
use crate::end::{Cause, Exit};
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::run::{Piece, Seen, Terms, run_isolated};

/// Maximum output, in bytes. A program that prints more is killed.
const STDOUT_MAX: usize = 64 << 10;

/// Output and end of a short run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// How the program ended.
    pub exit: Exit,
    /// Why the run ended: [`Cause::Deadline`] after the timeout.
    pub cause: Cause,
    /// Its stdout, at most 64 KiB, invalid UTF-8 replaced.
    pub stdout: String,
    /// The end of its stderr, invalid UTF-8 replaced.
    pub stderr: String,
}

/// Runs a program to its end, for at most `timeout` (and a second to end it), and collects its
/// output.
///
/// # Errors
///
/// [`SpawnError`] if the program could not be started.
///
/// # Cancel safety
///
/// If dropped, the program is killed.
pub async fn capture(
    guard: &Guard,
    command: Command,
    timeout: Duration,
) -> Result<Captured, SpawnError> {
    let fence = guard.fence().await?;
    capture_isolated(guard, guard.isolation().await, fence, command, timeout).await
}

/// [`capture`] with a given isolation and confinement.
pub(crate) async fn capture_isolated(
    guard: &Guard,
    isolation: Isolation,
    fence: Option<Fence>,
    command: Command,
    timeout: Duration,
) -> Result<Captured, SpawnError> {
    let bounds = Bounds { total_max: STDOUT_MAX as u64, ..Bounds::until(Instant::now() + timeout) };
    let mut stdout = Vec::new();
    let never = CancellationToken::new();
    let terms = Terms::of_run(guard, fence, bounds);
    let ended = run_isolated(guard, isolation, command, terms, &never, |piece, _| {
        match piece {
            Piece::Started { .. } | Piece::Left | Piece::Ending => {}
            Piece::Stdout(chunk) => stdout.extend_from_slice(chunk),
            Piece::Stderr { chunk, tail } => tail.push(chunk),
        }
        Seen::default()
    })
    .await?;
    Ok(Captured {
        exit: ended.exit,
        cause: ended.cause,
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: ended.stderr_tail,
    })
}
