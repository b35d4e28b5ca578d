//! The event log of each run: streamed live, stored, and replayed from either source without a gap.
//!
//! While a run is in flight, its whole log is in memory and every reader reads it there at its own
//! pace: a slow subscriber needs no queue and misses no event. Each event is also offered to the store
//! without waiting; events that the store did not take are written with the run's end.
//! The log and its events are bounded in size.
//!
//! The model's progress is published outside the log, in volatile events: only the latest one is kept, and
//! a reader never gets an older one. A change of the model's stage is an event of the log as well.

mod liveness;

use std::collections::HashMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use codex_driver::{Sign, Written};
use contract::event::{Entry, Event, EventName, LastEvent, Progress};
use contract::id::RunId;
use contract::run::RunProgress;
use futures_util::stream::{self, Stream};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::record::{EventRest, Finish, LastEvents};
use liveness::{Due, Liveness, Pace};

/// Maximum number of individual progress events of one run, changes of the model's stage excluded. Further ones are
/// only counted, and the count is published each time it has doubled.
pub const PROGRESS_MAX: usize = 500;

/// Interval of [`RunLog::look`]. A volatile event is late by this much at most.
pub const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Largest data of one event, in bytes of JSON. Larger data is replaced by its size.
pub const EVENT_DATA_MAX_BYTES: usize = 4 * 1024;

/// The logs of runs in flight, and access to those of ended runs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EventHub {
    store: Store,
    live: Arc<Mutex<HashMap<RunId, watch::Receiver<Log>>>>,
    /// Counts changes to the set and the state of runs. Written by [`RunLog`].
    changes: watch::Sender<Changes>,
}

/// Progress of a run in flight.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Going {
    /// The last published entry.
    pub told: Option<Entry>,
    /// The current attempt.
    pub attempt: Option<u8>,
    /// Progress of its model.
    pub progress: Option<RunProgress>,
    /// The last event of the model's provider.
    pub last: Option<LastEvent>,
}

/// Counters of changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Number of runs accepted, started or ended.
    pub runs: u64,
    /// Number of changes of a model's stage.
    pub stages: u64,
}

/// A run's events so far.
#[derive(Debug, Default)]
struct Log {
    events: Vec<Arc<Event>>,
    /// The last published progress of the model; `None` while no model is working.
    liveness: Option<Liveness>,
    /// Number of volatile events so far.
    volatile: u64,
    /// Whether the last event is the terminal one.
    ended: bool,
}

impl EventHub {
    /// A hub over `store`.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store, live: Arc::default(), changes: watch::Sender::default() }
    }

    /// Starts the log of a newly accepted run.
    #[must_use]
    pub fn begin(&self, run_id: RunId) -> RunLog {
        let (log, reader) = watch::channel(Log::default());
        self.live().insert(run_id, reader);
        let (liveness, pace) = (None, Pace::default());
        RunLog { hub: self.clone(), run_id, log, progress: 0, offered: 0, liveness, pace }
    }

    /// The run's events after position `after`: the existing ones, then new ones as they come. Ends after the
    /// terminal event.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or an error of the medium.
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
            volatile: 0,
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

    /// The last published model progress of a run in flight, with ages as of now; `None` while no model is working.
    #[must_use]
    pub fn progress(&self, run_id: RunId) -> Option<RunProgress> {
        let log = self.live().get(&run_id).cloned()?;
        log.borrow().liveness.as_ref()?.shown(Instant::now())
    }

    /// Progress of a run; empty if it is not in flight.
    #[must_use]
    pub fn going(&self, run_id: RunId) -> Going {
        let Some(log) = self.live().get(&run_id).cloned() else { return Going::default() };
        let log = log.borrow();
        let entries = || log.events.iter().rev().filter_map(|event| event.entry());
        let attempt = entries().find_map(|entry| match entry {
            Entry::Progress(Progress::Attempt { attempt }) => Some(attempt),
            _ => None,
        });
        let liveness = log.liveness.as_ref();
        Going {
            told: entries().next(),
            attempt,
            progress: liveness.and_then(|liveness| liveness.shown(Instant::now())),
            last: liveness.and_then(Liveness::last_heard),
        }
    }

    /// The change counters, to wait on.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    fn count_change(&self) {
        self.changes.send_modify(|changes| changes.runs += 1);
    }

    fn live(&self) -> MutexGuard<'_, HashMap<RunId, watch::Receiver<Log>>> {
        // Inserting and removing cannot leave the map in an inconsistent state.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer of one run's log. Dropped without [`RunLog::finish`], the log ends without a
/// terminal event.
#[derive(Debug)]
pub struct RunLog {
    hub: EventHub,
    run_id: RunId,
    log: watch::Sender<Log>,
    /// Progress events so far, published or only counted.
    progress: usize,
    /// Number of events at the front of the log that the store has taken.
    offered: usize,
    /// Progress of the attempt's model.
    liveness: Option<Liveness>,
    pace: Pace,
}

impl RunLog {
    /// Publishes an event. Never waits.
    pub fn tell(&mut self, entry: &Entry) {
        self.append(entry.name(), entry.data());
        // By the first of these, the run is in the store.
        if let Entry::Queued { .. } | Entry::Started { .. } = entry {
            self.hub.count_change();
        }
    }

    /// Records a sign of life of the model. Fast enough for thousands per second.
    pub fn hear(&mut self, sign: Sign) {
        let now = Instant::now();
        self.liveness.get_or_insert_with(|| Liveness::new(now)).hear(sign, now);
        self.show(now);
    }

    /// Records what the driver has seen of the model's text. It is published with the next sign of life.
    pub fn see(&mut self, written: &Written, title: impl FnOnce(&str) -> Option<String>) {
        let liveness = self.liveness.get_or_insert_with(|| Liveness::new(Instant::now()));
        let seen = liveness.seen();
        match written {
            Written::Answer { chars, key } => {
                seen.answer = Some(*chars);
                seen.field = *key;
            }
            Written::Reasoning { chars, parts } => {
                seen.thought = Some(*chars);
                seen.parts = Some(*parts);
            }
            Written::Part { text } => {
                seen.title = title(text).map(Into::into).or(seen.title.take())
            }
        }
    }

    /// Publishes changes that are due to passing time. To be called every [`LOOK_EVERY`] while Codex runs.
    pub fn look(&mut self) {
        self.show(Instant::now());
    }

    /// Clears the model's progress at the end of its attempt.
    pub fn forget_model(&mut self) {
        self.liveness = None;
        self.show(Instant::now());
    }

    fn show(&mut self, now: Instant) {
        let due = match &self.liveness {
            Some(liveness) => self.pace.due(liveness, now),
            None => self.pace.over(),
        };
        match due {
            Due::Nothing => {}
            Due::Over => {
                self.log.send_modify(|log| log.liveness = None);
                self.hub.changes.send_modify(|changes| changes.stages += 1);
            }
            Due::Volatile => {
                let liveness = self.liveness.clone();
                self.log.send_modify(|log| {
                    log.liveness = liveness;
                    log.volatile += 1;
                });
            }
            Due::Change => {
                let liveness = self.liveness.clone();
                let kept = liveness.as_ref().and_then(|liveness| liveness.kept(now));
                self.log.send_modify(|log| log.liveness = liveness);
                self.hub.changes.send_modify(|changes| changes.stages += 1);
                if let Some(progress) = kept {
                    self.push(EventName::Progress, Entry::Progress(progress).data());
                    self.offer();
                }
            }
        }
    }

    /// Appends an event.
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

    /// Ends the run in the store and publishes its terminal event.
    ///
    /// # Errors
    /// As [`Store::finish`]. The terminal event is published nevertheless.
    ///
    /// # Cancel safety
    /// A dropped call may have ended the run; readers then continue from the store.
    pub async fn finish(self, finish: Finish) -> Result<(), StoreError> {
        let omitted = self.progress.saturating_sub(PROGRESS_MAX);
        if omitted > 0 && !omitted.is_power_of_two() {
            self.push(EventName::Progress, json!({ "omitted": omitted }));
        }
        let (name, data) = (finish.ending.event(), finish.outcome.clone());
        let last = {
            let log = self.log.borrow();
            LastEvents {
                // The store ignores events it has. Events that it took may not be written yet, so all are sent.
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
            log.events.push(Arc::new(Event { seq: Some(seq), name, data }));
        });
    }

    /// Offers events to the store until it is too busy.
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
        self.hub.count_change();
    }
}

/// A reader's position in a log.
struct Reader {
    store: Store,
    run_id: RunId,
    after: u64,
    /// Number of the last volatile event that was read.
    volatile: u64,
    source: Source,
    /// Events that were read but not yet returned.
    ready: VecDeque<Arc<Event>>,
}

/// Where a reader continues.
enum Source {
    /// In memory: the run is in flight.
    Live(watch::Receiver<Log>),
    /// In the store: the run has ended, or belongs to an earlier process.
    Store,
    /// Nowhere: the log has ended.
    Ended,
}

impl Reader {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.after = event.seq.unwrap_or(self.after);
                return Some(Arc::unwrap_or_clone(event));
            }
            match &mut self.source {
                Source::Ended => return None,
                Source::Live(log) => {
                    // Check whether the writer is gone before reading, so that its last events are not missed.
                    let abandoned = log.has_changed().is_err();
                    let ended = unread(log, self.after, &mut self.volatile, &mut self.ready);
                    if ended {
                        self.source = Source::Ended;
                    } else if abandoned {
                        self.source = Source::Store;
                    } else if self.ready.is_empty() {
                        // An error means that the writer is gone, which the next iteration detects.
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

/// Returns the events after `after` and the volatile event after `volatile`. Says whether the log has ended.
fn unread(
    log: &mut watch::Receiver<Log>,
    after: u64,
    volatile: &mut u64,
    ready: &mut VecDeque<Arc<Event>>,
) -> bool {
    let log = log.borrow_and_update();
    ready.extend(log.events.iter().filter(|event| event.seq > Some(after)).cloned());
    if log.volatile > *volatile && !log.ended {
        *volatile = log.volatile;
        let told = log.liveness.as_ref().and_then(|liveness| liveness.told(Instant::now()));
        ready.extend(told.map(|progress| {
            let data = Entry::Progress(progress).data();
            Arc::new(Event { seq: None, name: EventName::Progress, data })
        }));
    }
    log.ended
}

fn next_seq(log: &Log) -> u64 {
    log.events.last().and_then(|event| event.seq).unwrap_or(0) + 1
}

fn bounded(data: Value) -> Value {
    let bytes = data.to_string().len();
    if bytes > EVENT_DATA_MAX_BYTES { json!({ "omitted_bytes": bytes }) } else { data }
}

#[cfg(test)]
mod tests;
