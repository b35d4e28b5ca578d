//! The updates for all open pages, gathered once for all of them, and only while a page is open.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::service::Service;
use crate::window::live::{self, Snapshot};
use crate::window::waits::{FRESH, Waits};

/// Maximum number of concurrent streams. A browser keeps at most six.
pub(super) const STREAMS_MAX: usize = 256;

/// Interval of updates while something runs.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Minimum pause before a change of a run or of its model's stage is published.
const CHANGE_AFTER: Duration = Duration::from_millis(100);

/// The published snapshot; `None` before the first one.
pub(super) type Told = Option<Arc<Snapshot>>;

/// The channel that all streams read. Written only while a stream is open.
#[derive(Debug, Default)]
pub(super) struct Feed(Mutex<Option<watch::Sender<Told>>>);

impl Feed {
    /// Subscribes to the updates and starts the task that gathers them if necessary.
    pub(super) fn subscribe(&self, service: &Service, waits: &Arc<Waits>) -> watch::Receiver<Told> {
        // Nothing panics while the lock is held.
        let mut feed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = feed.as_ref().filter(|sender| sender.receiver_count() > 0) {
            return sender.subscribe();
        }
        let (sender, receiver) = watch::channel(None);
        tokio::spawn(tell(service.clone(), Arc::clone(waits), sender.clone()));
        *feed = Some(sender);
        receiver
    }
}

/// Publishes snapshots until no stream is left.
async fn tell(service: Service, waits: Arc<Waits>, sender: watch::Sender<Told>) {
    let mut changes = service.changes();
    let mut waiting = waits.changes();
    let mut asked = Instant::now();
    waits.ask();
    loop {
        changes.borrow_and_update();
        let looked = Instant::now();
        // If the store fails now, it is queried again; until then the last snapshot stays.
        let is_any = match live::look(&service).await {
            Ok(snapshot) => {
                let is_any = !snapshot.runs.is_empty();
                sender.send_replace(Some(Arc::new(snapshot)));
                is_any
            }
            Err(_) => true,
        };
        let tick = async {
            match is_any {
                true => sleep_until(looked + TELL_EVERY).await,
                false => std::future::pending().await,
            }
        };
        // Every arm is cancel safe.
        tokio::select! {
            () = sender.closed() => return,
            () = tick => {}
            () = sleep_until(asked + FRESH) => {
                asked = Instant::now();
                waits.ask();
            }
            answered = waiting.changed() => if answered.is_err() { return },
            changed = changes.changed() => match changed {
                Ok(()) => sleep_until(looked + CHANGE_AFTER).await,
                Err(_) => return,
            },
        }
    }
}
