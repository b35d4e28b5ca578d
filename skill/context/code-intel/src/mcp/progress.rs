//! Progress notifications for callers that requested them: how many files of the first index were read.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::watch;

/// Minimum time between two notifications.
const EVERY: Duration = Duration::from_millis(200);

/// The client and the progress token.
#[derive(Debug)]
pub(super) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
}

/// Receives the reading progress.
#[derive(Debug)]
pub(super) struct Files(watch::Sender<(usize, usize)>);

impl Files {
    /// Reports that `done` of `all` files were read.
    pub(super) fn note(&self, done: usize, all: usize) {
        self.0.send_replace((done, all));
    }
}

impl Progress {
    /// Progress for the caller of a request.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { listener: token.map(|token| (context.peer.clone(), token)) }
    }

    /// The receiver of progress, and the future that sends notifications. The future ends when the receiver is dropped:
    /// no notification may follow the result.
    pub(super) fn begin(self) -> (Files, impl Future<Output = ()> + Send) {
        let (sender, receiver) = watch::channel((0, 0));
        (Files(sender), self.tell(receiver))
    }

    /// Sends notifications until the receiver is dropped.
    ///
    /// # Cancel safety
    /// A notification may get lost.
    async fn tell(self, mut files: watch::Receiver<(usize, usize)>) {
        let Some((peer, token)) = self.listener else { return };
        let mut told = 0;
        let mut last: Option<Instant> = None;
        while files.changed().await.is_ok() {
            let (done, all) = *files.borrow_and_update();
            // The value must increase with each notification, but threads may report out of order.
            let is_soon = last.is_some_and(|last| last.elapsed() < EVERY);
            if done <= told || (is_soon && done < all) {
                continue;
            }
            (told, last) = (done, Some(Instant::now()));
            let progress = ProgressNotificationParam::new(token.clone(), done as f64)
                .with_total(all as f64)
                .with_message(format!("reading files: {done} of {all}"));
            if peer.notify_progress(progress).await.is_err() {
                // The session ends; the call notices this itself.
                return;
            }
        }
    }
}
