//! The durable record: runs, sessions, idempotency keys and events in one SQLite file.
//!
//! One thread owns the connection; all others send it jobs through a bounded channel. Data that
//! [`Store::accept`] and [`Store::finish`] have acknowledged survives a power cut, except for a run
//! whose id its caller gets only with the outcome; data of the other writes survives a
//! crash of the process. All SQL is inside this
//! module; HTTP, processes and session rules are outside.

mod accept;
pub mod clock;
mod codes;
mod database;
mod deferred;
pub mod error;
mod history;
mod lifecycle;
mod lock;
mod pages;
mod reader;
pub mod record;
mod recovery;
mod retention;
mod text_search;
mod writer;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::event::Event;
use contract::failure::{Failure, FailureCode};
use contract::id::{RunId, SessionId};
use contract::key::IdempotencyKey;
use contract::run::{RunKind, RunPage, RunRecord, SessionRecord};
use tokio::sync::{mpsc, oneshot};

use self::clock::Clock;
pub(crate) use self::database::DATABASE_FILE;
use self::deferred::DeferredEnd;
use self::error::{OpenError, StoreError};
use self::reader::Reader;
use self::record::{
    Accept, Ending, EventPage, Finish, LastEvents, NewRun, Purged, Recovery, RunFacts, RunFound,
    RunRow, RunSearch, RunText, Settings, UsageRow,
};
use self::recovery::Opened;
use self::writer::{Durability, Message, Work, Writer};
use crate::request::{AckMode, RunFilter};

/// Capacity of the channel to the thread; when it is full, callers wait.
const MESSAGES_MAX: usize = 1024;

/// Maximum number of events per page.
const EVENT_PAGE_MAX: u16 = 256;

/// The store. Cheap to clone; the thread ends with the last handle or with [`Store::close`].
#[derive(Debug, Clone)]
pub struct Store {
    messages: mpsc::Sender<Message>,
    reader: Reader,
}

impl Store {
    /// Opens the state folder `dir`, creates what is missing in it, and ends the runs that the last daemon
    /// left in flight.
    ///
    /// `sweep` gets the runs that were in flight before they are marked as interrupted, so that a
    /// crash in between loses none of them. It kills their remaining processes, which carry the run's id
    /// in their environment. It runs on the store's thread and may block.
    ///
    /// # Errors
    /// [`OpenError::InUse`] while another daemon holds the folder; the others if the folder or
    /// the file cannot be used. A damaged database is not an error: see [`Recovery::quarantined`].
    ///
    /// # Cancel safety
    /// A dropped call unlocks the folder and leaves the database usable.
    pub async fn open(
        dir: &Path,
        settings: Settings,
        clock: Clock,
        sweep: impl FnOnce(&[RunId]) + Send + 'static,
    ) -> Result<(Self, Recovery), OpenError> {
        let dir = dir.to_owned();
        let (messages, receiver) = mpsc::channel(MESSAGES_MAX);
        let (opened, outcome) = oneshot::channel();
        let at = dir.clone();
        let reader = Reader::new(&dir.join(DATABASE_FILE));
        std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || match recovery::open(&dir, &settings, &clock, sweep) {
                Ok(Opened { writer, lock, recovery }) => {
                    if opened.send(Ok(recovery)).is_ok() {
                        writer.serve(receiver, lock);
                    }
                }
                Err(error) => drop(opened.send(Err(error))),
            })
            .map_err(|source| OpenError::Unusable { path: at.clone(), source })?;
        let recovery = outcome.await.unwrap_or_else(|_| {
            let source = std::io::Error::other("the store's thread has died");
            Err(OpenError::Unusable { path: at, source })
        })?;
        Ok((Self { messages, reader }, recovery))
    }

    /// Applies all rules to a new run and, if they hold, stores it and leases its session, in
    /// one transaction.
    ///
    /// # Errors
    /// [`StoreError`] by cause. Nothing is stored.
    ///
    /// # Cancel safety
    /// If a dropped call still accepts the run, the run is ended as cancelled.
    pub async fn accept(&self, new: NewRun) -> Result<Accept, StoreError> {
        let orphan = Orphan { store: self, run_id: Some(new.run_id) };
        let durability = match (new.ack_mode, &new.key) {
            // The caller gets the run's id only at its end, which is synced together with all earlier writes.
            (AckMode::AtEnd, None) => Durability::Written,
            (AckMode::AtOnce, _) | (_, Some(_)) => Durability::Synced,
        };
        let accepted = self.ask(durability, move |writer| accept::accept(writer, &new)).await;
        orphan.adopt();
        accepted
    }

    /// The run of an idempotency key, without accepting anything: for a repeated request while no new
    /// work is accepted. `None` if the key is new.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn replay(
        &self,
        key: IdempotencyKey,
        body_hash: [u8; 32],
    ) -> Result<Option<Accept>, StoreError> {
        self.ask(Durability::Written, move |writer| {
            accept::replay(&writer.connection, &key, &body_hash)
        })
        .await
    }

    /// Marks the run as started. To be called before its first process starts.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::AlreadyEnded`], or an error of the medium.
    pub async fn start(&self, run_id: RunId) -> Result<(), StoreError> {
        self.ask(Durability::Written, move |writer| lifecycle::start(writer, run_id)).await
    }

    /// Ends the run, releases its session and, with advice, uses up the round; in one transaction.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], [`StoreError::AlreadyEnded`], or an error of the medium. In the last case
    /// the outcome is included in all reads of this process and written later; the
    /// caller still responds and says that the answer is not stored yet.
    pub async fn finish(
        &self,
        run_id: RunId,
        finish: Finish,
        last: LastEvents,
    ) -> Result<(), StoreError> {
        let finish = Arc::new(finish);
        let end_seq = last.end_seq;
        let written = finish.clone();
        let ended = self
            .ask(Durability::Synced, move |writer| {
                lifecycle::finish(writer, run_id, &written, &last)
            })
            .await;
        if ended.as_ref().is_err_and(StoreError::is_medium) {
            self.ask(Durability::Written, move |writer| {
                let finish = finish.clone();
                let end_seq = match end_seq {
                    Some(seq) => seq,
                    None => lifecycle::first_free_seq(writer, run_id)?,
                };
                let end = DeferredEnd { finish, end_seq, finished_at: writer.now_ms() };
                writer.deferred.borrow_mut().keep(run_id, end);
                Ok(())
            })
            .await?;
        }
        ended
    }

    /// Sends an event to the store without waiting. Returns whether it was taken.
    ///
    /// Events that were not taken, or could not be written, must be in the [`LastEvents`] of the run's end.
    #[must_use]
    pub fn offer_event(&self, run_id: RunId, event: Event) -> bool {
        let work = Work {
            work: move |writer: &Writer| {
                lifecycle::append(writer, run_id, std::slice::from_ref(&event))
            },
            durability: Durability::Written,
            result: None,
            reply: None,
        };
        self.messages.try_send(Message::Job(Box::new(work))).is_ok()
    }

    /// The stored events after position `after`, oldest first, one page at a time.
    ///
    /// # Errors
    /// [`StoreError::UnknownRun`], or an error of the medium.
    pub async fn events_after(&self, run_id: RunId, after: u64) -> Result<EventPage, StoreError> {
        self.ask(Durability::Written, move |writer| {
            history::events_after(writer, run_id, after, EVENT_PAGE_MAX)
        })
        .await
    }

    /// One run in full; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn run(&self, run_id: RunId) -> Result<Option<RunRecord>, StoreError> {
        self.ask(Durability::Written, move |writer| history::run(writer, run_id)).await
    }

    /// A page of the history, newest first.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn runs(&self, filter: RunFilter) -> Result<RunPage, StoreError> {
        self.ask(Durability::Written, move |writer| history::runs(writer, &filter)).await
    }

    /// One session with its runs; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.ask(Durability::Written, move |writer| history::session(writer, id)).await
    }

    /// Runs that have not ended, oldest first: running ones, then queued ones.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn live_rows(&self, kind: Option<RunKind>) -> Result<Vec<RunRow>, StoreError> {
        self.reader.ask(move |connection| pages::live(connection, kind)).await
    }

    /// The `limit` runs that ended last, newest first.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn ended_rows(
        &self,
        kind: Option<RunKind>,
        limit: u32,
    ) -> Result<Vec<RunRow>, StoreError> {
        self.reader.ask(move |connection| pages::ended(connection, kind, limit)).await
    }

    /// A page of the runs that match a search, newest first.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn search(&self, search: RunSearch) -> Result<RunFound, StoreError> {
        self.reader.ask(move |connection| pages::search(connection, &search)).await
    }

    /// One run with its texts; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn run_text(&self, run_id: RunId) -> Result<Option<RunText>, StoreError> {
        self.reader.ask(move |connection| pages::text(connection, run_id)).await
    }

    /// When each event of a run was stored, in milliseconds since 1970, by its position.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn event_times(&self, run_id: RunId) -> Result<BTreeMap<u64, i64>, StoreError> {
        self.reader.ask(move |connection| pages::event_times(connection, run_id)).await
    }

    /// The models of the stored runs.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn models(&self) -> Result<Vec<String>, StoreError> {
        self.reader.ask(pages::models).await
    }

    /// The cost of each ended run that was accepted since `from_ms`.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn costs(
        &self,
        kind: Option<RunKind>,
        from_ms: i64,
    ) -> Result<Vec<UsageRow>, StoreError> {
        self.reader.ask(move |connection| pages::costs(connection, kind, from_ms)).await
    }

    /// Deletes everything older than the retention, in small batches with pauses between them.
    ///
    /// # Errors
    /// [`StoreError`] by cause. Batches before the error stay deleted.
    pub async fn purge(&self) -> Result<Purged, StoreError> {
        let mut all = Purged::default();
        loop {
            let batch = self.ask(Durability::Written, retention::delete_old_runs).await?;
            all.runs += batch.runs;
            all.sessions += batch.sessions;
            if batch == Purged::default() {
                return Ok(all);
            }
        }
    }

    /// Returns unused pages to the file system, in small batches with pauses between
    /// them; returns their number. The file is truncated by the checkpoint that follows.
    ///
    /// # Errors
    /// [`StoreError`] by cause. Batches before the error stay returned.
    pub async fn shrink(&self) -> Result<u64, StoreError> {
        let mut all = 0;
        loop {
            let pages = self.ask(Durability::Written, retention::shrink).await?;
            all += pages;
            if pages == 0 {
                return Ok(all);
            }
        }
    }

    /// Writes a small value, to check whether the store can be written.
    ///
    /// # Errors
    /// [`StoreError`] by cause.
    pub async fn probe(&self) -> Result<(), StoreError> {
        self.ask(Durability::Written, retention::probe).await
    }

    /// Finishes queued jobs, writes everything out, closes the file and unlocks the folder. Later
    /// calls through any handle fail with [`StoreError::Closed`].
    pub async fn close(&self) {
        self.reader.close().await;
        let (done, closed) = oneshot::channel();
        if self.messages.send(Message::Close(done)).await.is_ok() {
            // An error means the thread has died, which closes as well.
            let _ = closed.await;
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnMut(&Writer) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, result) = oneshot::channel();
        let work = Work { work, durability, result: None, reply: Some(reply) };
        let sent = self.messages.send(Message::Job(Box::new(work))).await;
        sent.map_err(|_| StoreError::Closed)?;
        result.await.unwrap_or(Err(StoreError::Closed))
    }
}

/// A run whose caller may have been dropped during acceptance.
struct Orphan<'a> {
    store: &'a Store,
    run_id: Option<RunId>,
}

impl Orphan<'_> {
    fn adopt(mut self) {
        self.run_id = None;
    }
}

impl Drop for Orphan<'_> {
    fn drop(&mut self) {
        let (Some(run_id), Ok(runtime)) = (self.run_id, tokio::runtime::Handle::try_current())
        else {
            return;
        };
        let store = self.store.clone();
        runtime.spawn(async move {
            let failure = Failure::new(FailureCode::Cancelled, "the caller went away");
            let finish = Finish {
                ending: Ending::Failure(FailureCode::Cancelled),
                outcome: serde_json::to_value(failure).unwrap_or_default(),
                thread: None,
                duration: Duration::ZERO,
                facts: RunFacts::default(),
            };
            // An unknown run was never accepted; an ended one was finished by its owner.
            let _ = store.finish(run_id, finish, LastEvents::default()).await;
        });
    }
}

#[cfg(test)]
mod tests;
