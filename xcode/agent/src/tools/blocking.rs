//! Runs file work on a thread that may block.

use std::time::Duration;

use contract::xc::CallStatus;
use llm::Cancel;

use crate::tool::Outcome;
use crate::workspace::stop::Stop;

/// The time limit of a search; on a large tree or a slow disk it is cut off, and the result says so.
pub(super) const TIME: Duration = Duration::from_secs(30);

/// Runs work that checks its [`Stop`] between its parts. If the runtime ends first, the result is
/// `unfinished`.
///
/// # Cancel safety
/// If the future is dropped, the work is stopped; a file that is being written by then is completed.
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
        // The runtime ends, and the session with it.
        Err(_) => unfinished,
    }
}

/// The result of a call that was cancelled before it changed anything.
pub(super) fn interrupted() -> Outcome {
    Outcome { status: CallStatus::Interrupted, ..Outcome::ok("Interrupted; nothing was changed.") }
}
