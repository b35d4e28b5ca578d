//! Work on files, on a thread that may wait for a disk.

use std::time::Duration;

use contract::xc::CallStatus;
use llm::Cancel;

use crate::tool::Outcome;
use crate::workspace::stop::Stop;

/// How long a search may take; a large tree on a slow disk is cut then, and the result says so.
pub(super) const TIME: Duration = Duration::from_secs(30);

/// Runs work that looks at its [`Stop`] between its parts. Where the runtime ends before it, `unfinished` came of
/// it.
///
/// # Cancel safety
/// Dropped half way, the work is told to stop; a file that is written by then is written whole.
pub(super) async fn blocking<T: Send + 'static>(
    cancel: &Cancel,
    unfinished: T,
    work: impl FnOnce(&Stop) -> T + Send + 'static,
) -> T {
    let ours = cancel.child_token();
    let dropped = ours.clone().drop_guard();
    let stop = Stop::new(ours, TIME);
    let done = tokio::task::spawn_blocking(move || work(&stop)).await;
    drop(dropped);
    match done {
        Ok(done) => done,
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        // The runtime ends, and with it the session.
        Err(_) => unfinished,
    }
}

/// What came of a call that was cancelled before it changed anything.
pub(super) fn interrupted() -> Outcome {
    Outcome { status: CallStatus::Interrupted, ..Outcome::ok("Interrupted; nothing was changed.") }
}
