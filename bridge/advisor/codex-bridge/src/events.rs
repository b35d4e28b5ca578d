//! The event log of each run: told live, kept in the store, replayed from either without a gap.
//!
//! While a run is in flight its whole log is in memory and every reader reads it there at its own
//! pace: no subscriber can fall behind, and nothing is queued for a slow one. The store gets each event
//! as it comes, without anybody waiting; what it could not take then comes with the run's end.
//! The log is bounded, and so are its events.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::event::{Entry, Event, EventName};
use contract::id::RunId;
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::record::{EventRest, Finish, LastEvents};

/// Progress events of one run that are told one by one; they alone may come often. Beyond, they are only counted, and the
/// count is told each time it has doubled.
pub const PROGRESS_MAX: usize = 500;

/// Largest data of one event, in bytes of JSON. Larger data is replaced by its size.
pub const EVENT_DATA_MAX_BYTES: usize = 4 * 1024;

/// The logs of the runs in flight, and the way to those that have ended. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EventHub {
    store: Store,
    live: Arc<Mutex<HashMap<RunId, watch::Receiver<Log>>>>,
}

/// A run's events so far.
#[derive(Debug, Default)]
struct Log {
    events: Vec<Arc<Event>>,
    /// Whether the last event is the terminal one.
    ended: bool,
}

impl EventHub {
    /// A hub over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, live: Arc::default() }
    }

    /// Begins the log of a run that was just accepted.
    #[must_use]
    pub fn begin(&self, run_id: RunId) -> RunLog {
        let (log, reader) = watch::channel(Log::default());
        self.live().insert(run_id, reader);
        RunLog { hub: self.clone(), run_id, log, progress: 0, offered: 0 }
    }

    /// The run's events after position `after`: what there is, then what comes. Ends after the
    /// terminal event.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or the medium's.
    pub async fn subscribe(
        &self,
        run_id: RunId,
        after: u64,
    ) -> Result<impl Stream<Item = Event> + Send + use<>, StoreError> {
        let live = self.live().get(&run_id).cloned();
        let mut reader = Reader {
            store: self.store.clone(),
            run_id,
            after,
            source: live.map_or(Source::Store, Source::Live),
            ready: VecDeque::new(),
        };
        if matches!(reader.source, Source::Store) {
            reader.read_store().await?;
        }
        Ok(stream::unfold(reader, async |mut reader| {
            let event = reader.next().await?;
            Some((event, reader))
        }))
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, watch::Receiver<Log>>> {
        // Inserting and removing cannot leave the map half changed.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writing end of one run's log. Dropped without [`RunLog::finish`], the log ends without a
/// terminal event.
#[derive(Debug)]
pub struct RunLog {
    hub: EventHub,
    run_id: RunId,
    log: watch::Sender<Log>,
    /// Progress events so far, told or only counted.
    progress: usize,
    /// Events at the front of the log that the store has taken.
    offered: usize,
}

impl RunLog {
    /// Tells what happens. Never waits.
    pub fn tell(&mut self, entry: &Entry) {
        self.append(entry.name(), entry.data());
    }

    /// Tells an event of any data.
    fn append(&mut self, name: EventName, data: Value) {
        let mut data = bounded(data);
        if name == EventName::Progress {
            self.progress += 1;
            let omitted = self.progress.saturating_sub(PROGRESS_MAX);
            if omitted > 0 {
                if !omitted.is_power_of_two() {
                    return;
                }
                data = json!({ "omitted": omitted });
            }
        }
        self.push(name, data);
        self.offer();
    }

    /// Ends the run in the store and tells its terminal event to everyone.
    ///
    /// # Errors
    /// As [`Store::finish`]. The terminal event is told all the same.
    ///
    /// # Cancel safety
    /// A dropped call may have ended the run; readers then go on in the store.
    pub async fn finish(self, finish: Finish) -> Result<(), StoreError> {
        let omitted = self.progress.saturating_sub(PROGRESS_MAX);
        if omitted > 0 && !omitted.is_power_of_two() {
            self.push(EventName::Progress, json!({ "omitted": omitted }));
        }
        let (name, data) = (finish.ending.event(), finish.outcome.clone());
        let last = {
            let log = self.log.borrow();
            LastEvents {
                // The store ignores what it has: events it took may still not have been written.
                events: log.events.iter().map(|event| Event::clone(event)).collect(),
                end_seq: Some(next_seq(&log)),
            }
        };
        let stored = self.hub.store.finish(self.run_id, finish, last).await;
        self.push(name, data);
        self.log.send_modify(|log| log.ended = true);
        stored
    }

    fn push(&self, name: EventName, data: Value) {
        self.log.send_modify(|log| {
            let seq = next_seq(log);
            log.events.push(Arc::new(Event { seq, name, data }));
        });
    }

    /// Offers the store what it has not taken yet, until it is too busy.
    fn offer(&mut self) {
        let log = self.log.borrow();
        for event in &log.events[self.offered..] {
            if !self.hub.store.offer_event(self.run_id, Event::clone(event)) {
                break;
            }
            self.offered += 1;
        }
    }
}

impl Drop for RunLog {
    fn drop(&mut self) {
        self.hub.live().remove(&self.run_id);
    }
}

/// One reader's place in a log.
struct Reader {
    store: Store,
    run_id: RunId,
    after: u64,
    source: Source,
    /// Events that were read and not yet handed out.
    ready: VecDeque<Arc<Event>>,
}

/// Where a reader reads on.
enum Source {
    /// The run is in flight.
    Live(watch::Receiver<Log>),
    /// It is not, or not in this process any more.
    Store,
    /// There is nothing more.
    Ended,
}

impl Reader {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.after = event.seq;
                return Some(Arc::unwrap_or_clone(event));
            }
            match &mut self.source {
                Source::Ended => return None,
                Source::Live(log) => {
                    // The writer's end is looked for first: what it told last is read after.
                    let abandoned = log.has_changed().is_err();
                    let ended = unread(log, self.after, &mut self.ready);
                    if ended {
                        self.source = Source::Ended;
                    } else if abandoned {
                        self.source = Source::Store;
                    } else if self.ready.is_empty() {
                        // An error is an abandoned log, which the next turn finds.
                        let _ = log.changed().await;
                    }
                }
                Source::Store => {
                    if let Err(error) = self.read_store().await {
                        let (run_id, error) = (self.run_id, &error as &dyn std::error::Error);
                        tracing::warn!(run.id = %run_id, error, "events of run {run_id} are cut short");
                        return None;
                    }
                }
            }
        }
    }

    async fn read_store(&mut self) -> Result<(), StoreError> {
        let page = self.store.events_after(self.run_id, self.after).await?;
        self.ready.extend(page.events.into_iter().map(Arc::new));
        self.source = match page.rest {
            EventRest::More => Source::Store,
            EventRest::Open | EventRest::Ended => Source::Ended,
        };
        Ok(())
    }
}

/// Takes what is new since `after`. Says whether the log has ended.
fn unread(log: &mut watch::Receiver<Log>, after: u64, ready: &mut VecDeque<Arc<Event>>) -> bool {
    let log = log.borrow_and_update();
    ready.extend(log.events.iter().filter(|event| event.seq > after).cloned());
    log.ended
}

fn next_seq(log: &Log) -> u64 {
    log.events.last().map_or(1, |event| event.seq + 1)
}

fn bounded(data: Value) -> Value {
    let bytes = data.to_string().len();
    if bytes > EVENT_DATA_MAX_BYTES { json!({ "omitted_bytes": bytes }) } else { data }
}

#[cfg(test)]
mod tests;
