//! Runs work in a separate task, so that typing is never blocked. Not here: the work itself.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use super::event::Event;
use crate::exit::Exit;

/// Runs the work in its own task and sends its result as an event. If it panics, the program ends with an internal error,
/// since the result is waited for.
/// the work would have told is waited for.
pub(super) fn apart(
    sender: mpsc::UnboundedSender<Event>,
    work: impl Future<Output = Event> + Send + 'static,
) {
    tokio::spawn(async move {
        let event = AssertUnwindSafe(work).catch_unwind().await;
        // The program ends only after its session.
        let _ = sender.send(event.unwrap_or(Event::Signal(Exit::Internal)));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_of_the_work_ends_the_program() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        apart(sender.clone(), async { panic!("a fault of the program") });
        assert!(matches!(receiver.recv().await, Some(Event::Signal(Exit::Internal))));
        apart(sender, async { Event::Tick });
        assert!(matches!(receiver.recv().await, Some(Event::Tick)));
    }
}
