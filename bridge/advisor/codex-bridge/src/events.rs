//! The event log of each run: told live, kept in the store, replayed from either without a gap.
//!
//! While a run is in flight its whole log is in memory and every reader reads it there at its own
//! pace: no subscriber can fall behind, and nothing is queued for a slow one. The store gets each event
//! as it comes, without anybody waiting; what it could not take then comes with the run's end.
//! The log is bounded, and so are its events.
//!
//! How a model goes on is told beside the log, in volatile events: the latest one is kept for whoever
//! reads next, and no reader gets an older one. A change of its stage is an event of the log as well.

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

/// Progress events of one run that are told one by one, changes of the model's stage aside. Beyond, they are only counted, and the
/// count is told each time it has doubled.
pub const PROGRESS_MAX: usize = 500;

/// How often it is to be looked what time alone has changed. A volatile event is late by so much at most.
pub const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Largest data of one event, in bytes of JSON. Larger data is replaced by its size.
pub const EVENT_DATA_MAX_BYTES: usize = 4 * 1024;

/// The logs of the runs in flight, and the way to those that have ended. Cheap to clone.
#[derive(Debug, Clone)]
pub struct EventHub {
    store: Store,
    live: Arc<Mutex<HashMap<RunId, watch::Receiver<Log>>>>,
    /// Counts what changes which runs there are and where they are. Written by [`RunLog`].
    changes: watch::Sender<Changes>,
}

/// How a run in flight goes on.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Going {
    /// What was told last.
    pub told: Option<Entry>,
    /// The attempt that runs.
    pub attempt: Option<u8>,
    /// How its model goes on.
    pub progress: Option<RunProgress>,
    /// What the last event of the model's provider was.
    pub last: Option<LastEvent>,
}

/// What has changed so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Runs that were accepted, started or ended.
    pub runs: u64,
    /// Stages of models.
    pub stages: u64,
}

/// A run's events so far.
#[derive(Debug, Default)]
struct Log {
    events: Vec<Arc<Event>>,
    /// How the model goes on, as it was last told; nothing where none is asked.
    liveness: Option<Liveness>,
    /// Volatile events so far.
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

    /// Begins the log of a run that was just accepted.
    #[must_use]
    pub fn begin(&self, run_id: RunId) -> RunLog {
        let (log, reader) = watch::channel(Log::default());
        self.live().insert(run_id, reader);
        let (liveness, pace) = (None, Pace::default());
        RunLog { hub: self.clone(), run_id, log, progress: 0, offered: 0, liveness, pace }
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

    /// How the model of a run in flight goes on, as it was last told, with its ages of now; nothing where none is asked.
    #[must_use]
    pub fn progress(&self, run_id: RunId) -> Option<RunProgress> {
        let log = self.live().get(&run_id).cloned()?;
        log.borrow().liveness.as_ref()?.shown(Instant::now())
    }

    /// How a run goes on; empty where it is not in flight.
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

    /// What has changed so far, to be waited for.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.changes.subscribe()
    }

    fn count_change(&self) {
        self.changes.send_modify(|changes| changes.runs += 1);
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
    /// What was heard of the attempt's model.
    liveness: Option<Liveness>,
    pace: Pace,
}

impl RunLog {
    /// Tells what happens. Never waits.
    pub fn tell(&mut self, entry: &Entry) {
        self.append(entry.name(), entry.data());
        // The store has the run by the first of them.
        if let Entry::Queued { .. } | Entry::Started { .. } = entry {
            self.hub.count_change();
        }
    }

    /// Takes a sign of life of the model. Cheap enough for thousands a second.
    pub fn hear(&mut self, sign: Sign) {
        let now = Instant::now();
        self.liveness.get_or_insert_with(|| Liveness::new(now)).hear(sign, now);
        self.show(now);
    }

    /// Takes what the driver has seen of the model's text. It is told with the next sign of life.
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

    /// Tells what time alone has changed. To be called every [`LOOK_EVERY`] while Codex runs.
    pub fn look(&mut self) {
        self.show(Instant::now());
    }

    /// Forgets the model that was asked: its attempt is over.
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
            log.events.push(Arc::new(Event { seq: Some(seq), name, data }));
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
        self.hub.count_change();
    }
}

/// One reader's place in a log.
struct Reader {
    store: Store,
    run_id: RunId,
    after: u64,
    /// The volatile event that was read last, by its number.
    volatile: u64,
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
                self.after = event.seq.unwrap_or(self.after);
                return Some(Arc::unwrap_or_clone(event));
            }
            match &mut self.source {
                Source::Ended => return None,
                Source::Live(log) => {
                    // The writer's end is looked for first: what it told last is read after.
                    let abandoned = log.has_changed().is_err();
                    let ended = unread(log, self.after, &mut self.volatile, &mut self.ready);
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

/// Takes what is new since the event `after` and the volatile event `volatile`. Says whether the log has ended.
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
