//! Runs a guarded program with a line-based request-response protocol on stdin and stdout.
//!
//! It runs as with [`crate::run()`], within the same limits and ended by the same steps; only its stdin stays
//! open. The reader handles each line and may write a response, without waiting.
//!
//! Not here: any knowledge of the protocol, and a limit on what the reader writes. The reader is called for each line
//! and must limit its responses itself.

use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Command, Flow, Heard};
use crate::end::Ended;
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::outbound::Outbound;
use crate::run::{Terms, by_lines};

/// Access to the program's stdin. Lines are being sent when the reader returns; whether the
/// program reads them is unknown.
#[derive(Debug)]
pub struct Words<'w>(&'w mut Outbound);

impl Words<'_> {
    /// Sends one line, given without its LF.
    pub fn say(&mut self, line: &[u8]) {
        self.0.say(line);
    }

    /// Closes the program's stdin after what was sent. Later lines are lost.
    pub fn end(&mut self) {
        self.0.end();
    }
}

/// Runs one program to its end. `on_heard` is first called when the program has started, then for each line of
/// stdout and of stderr, and may respond to each. [`Command::stdin`] is the program's first input; stdin
/// stays open until [`Words::end`].
///
/// Before the program is interrupted, by its deadline, a stall or `cancel`, the reader gets
/// [`Heard::Ending`] and may send a last message, which is sent before the signal.
///
/// Returns as [`crate::run()`] does.
///
/// # Errors
///
/// [`SpawnError`] if the program could not be started.
///
/// # Cancel safety
///
/// If dropped, every process of the talk is killed at once.
pub async fn talk(
    guard: &Guard,
    command: Command,
    bounds: Bounds,
    cancel: &CancellationToken,
    mut on_heard: impl FnMut(Heard<'_>, &mut Words<'_>) -> Flow + Send,
) -> Result<Ended, SpawnError> {
    let of_run = Terms::of_run(guard, guard.fence().await?, bounds);
    let terms = Terms { is_stdin_open: true, ..of_run };
    by_lines(guard, command, terms, cancel, |heard, outbound| on_heard(heard, &mut Words(outbound)))
        .await
}
