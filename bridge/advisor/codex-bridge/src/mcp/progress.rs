//! Progress notifications for callers that requested them: at each stage of the run, once a second while
//! the model's provider sends events, and every few seconds otherwise, so that a client which resets its
//! timeout at each notification does not give up.

use std::time::Duration;

use contract::event::Event;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// Maximum time between two notifications. The shortest client timeout that we know is 60 s.
const INTERVAL: Duration = Duration::from_secs(5);

/// Minimum time between two notifications that differ only in a count or an age.
const COUNT_INTERVAL: Duration = Duration::from_secs(1);

/// Capacity of the event queue. Events that do not fit are dropped.
const EVENTS: usize = 16;

/// The client and the progress token.
#[derive(Debug)]
pub(super) struct Progress {
    listener: Option<(Peer<RoleServer>, ProgressToken)>,
}

/// Receives the events of a run.
#[derive(Debug, Clone)]
pub(super) struct Stages(mpsc::Sender<Event>);

impl Stages {
    /// Queues an event that may be reported.
    pub(super) fn note(&self, event: &Event) {
        if event.stage().is_some() {
            // A full or closed channel only loses a progress message.
            let _ = self.0.try_send(event.clone());
        }
    }
}

impl Progress {
    /// Progress for the caller of a request.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self { listener: token.map(|token| (context.peer.clone(), token)) }
    }

    /// The sender for stages, and the future that reports them. The future ends when the sender is dropped and
    /// all stages are reported: no notification may follow the result.
    pub(super) fn begin(self) -> (Stages, impl Future<Output = ()> + Send) {
        let (sender, receiver) = mpsc::channel(EVENTS);
        (Stages(sender), self.tell(receiver))
    }

    /// Reports until the sender is dropped.
    ///
    /// # Cancel safety
    /// A notification may get lost.
    async fn tell(self, mut events: mpsc::Receiver<Event>) {
        let Some((peer, token)) = self.listener else { return };
        let started = Instant::now();
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last: Option<(Instant, Event)> = None;
        let mut told_at: Option<Instant> = None;
        // The protocol requires an increasing value; the total is unknown.
        let mut count = 0.0;
        loop {
            tokio::select! {
                next = events.recv() => match next {
                    Some(event) => {
                        let is_volatile = event.seq.is_none();
                        last = Some((Instant::now(), event));
                        if is_volatile && told_at.is_some_and(|at| at.elapsed() < COUNT_INTERVAL) {
                            continue;
                        }
                    }
                    None => return,
                },
                _ = ticks.tick() => {}
            }
            count += 1.0;
            told_at = Some(Instant::now());
            let stage = last.as_ref().and_then(|(came, event)| event.stage_after(came.elapsed()));
            let stage = stage.unwrap_or_else(|| "asking the bridge".to_owned());
            let seconds = started.elapsed().as_secs();
            let message = format!("{} ({seconds} s)", redact::visible_line(&stage));
            let told = ProgressNotificationParam::new(token.clone(), count).with_message(message);
            if peer.notify_progress(told).await.is_err() {
                // The session ends; the call notices this itself.
                return;
            }
        }
    }
}
