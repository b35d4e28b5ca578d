//! Work beside the keys: in a task of its own, so that typing is never blocked. Absent: what is done.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::mpsc;

use super::event::Event;
use crate::exit::Exit;

/// Does it in a task of its own, and tells what came of it. A panic of it is a fault of the program, which ends by that: what
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
