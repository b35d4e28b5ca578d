//! Progress notifications, for callers that asked for them: how many files of the first index are read.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::watch;

/// Shortest time between two notifications.
const EVERY: Duration = Duration::from_millis(200);

/// Whom to tell, and under which name.
#[derive(Debug)]
pub(super) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
}

/// Takes how far reading has come.
#[derive(Debug)]
pub(super) struct Files(watch::Sender<(usize, usize)>);

impl Files {
    /// So many files of so many are read.
    pub(super) fn note(&self, done: usize, all: usize) {
        self.0.send_replace((done, all));
    }
}

impl Progress {
    /// For the caller of a request.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { listener: token.map(|token| (context.peer.clone(), token)) }
    }

    /// Where to note progress, and the teller of it. The teller ends when nothing can be noted any more:
    /// no notification may follow the result.
    pub(super) fn begin(self) -> (Files, impl Future<Output = ()> + Send) {
        let (sender, receiver) = watch::channel((0, 0));
        (Files(sender), self.tell(receiver))
    }

    /// Tells until the files end.
    ///
    /// # Cancel safety
    /// A notification may get lost.
    async fn tell(self, mut files: watch::Receiver<(usize, usize)>) {
        let Some((peer, token)) = self.listener else { return };
        let mut told = 0;
        let mut last: Option<Instant> = None;
        while files.changed().await.is_ok() {
            let (done, all) = *files.borrow_and_update();
            // It must increase with each notification; threads may note out of order.
            let is_soon = last.is_some_and(|last| last.elapsed() < EVERY);
            if done <= told || (is_soon && done < all) {
                continue;
            }
            (told, last) = (done, Some(Instant::now()));
            let progress = ProgressNotificationParam::new(token.clone(), done as f64)
                .with_total(all as f64)
                .with_message(format!("reading files: {done} of {all}"));
            if peer.notify_progress(progress).await.is_err() {
                // The session ends; the call learns it in its own way.
                return;
            }
        }
    }
}
