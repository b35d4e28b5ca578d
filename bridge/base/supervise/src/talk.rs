//! A guarded program that is asked and answers, line by line, to its end.
//!
//! It runs as with [`crate::run()`], within the same bounds, ended by the same steps; only its stdin stays
//! open. The reader of its lines says what comes next, at once and without waiting.
//!
//! Absent: any knowledge of what is said, and a limit of what the reader says. It is asked for each line,
//! so it is the reader who bounds its answers.

use tokio_util::sync::CancellationToken;

use crate::command::{Bounds, Command, Flow, Heard};
use crate::end::Ended;
use crate::error::SpawnError;
use crate::guard::Guard;
use crate::outbound::Outbound;
use crate::run::{Terms, by_lines};

/// The way to the program's stdin. What is said here is on its way when the reader returns; whether the
/// program reads it is not known.
#[derive(Debug)]
pub struct Words<'w>(&'w mut Outbound);

impl Words<'_> {
    /// Says one line, which has no LF of its own.
    pub fn say(&mut self, line: &[u8]) {
        self.0.say(line);
    }

    /// Closes the program's stdin behind what was said. What is said later is lost.
    pub fn end(&mut self) {
        self.0.end();
    }
}

/// Runs one program to its end. `on_heard` is told first that the program runs, then gets each line of
/// stdout and of stderr, and may answer each. [`Command::stdin`] is what the program hears first; stdin
/// stays open until [`Words::end`].
///
/// Before the program is interrupted, for its deadline, a stall or `cancel`, the reader hears
/// [`Heard::Ending`] and may say last words: they are on their way before the signal.
///
/// Returns as [`crate::run()`] does.
///
/// # Errors
///
/// [`SpawnError`] when the program never ran.
///
/// # Cancel safety
///
/// Dropped half way, every process of the talk is killed at once.
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
