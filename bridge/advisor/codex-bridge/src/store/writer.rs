//! The thread that owns the connection, and its job queue.
//!
//! Waiting jobs are committed together, with one `fsync` for all of them. Each runs in its own
//! savepoint, so a refused job does not affect the others in the transaction. If
//! the common transaction is rolled back (by a full disk), each job is repeated alone.

use std::cell::{Cell, RefCell};
use std::path::Path;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::clock::Clock;
use super::database;
use super::deferred::Deferred;
use super::error::StoreError;
use super::lock::StateLock;
use super::record::Settings;

/// Maximum number of jobs per commit; bounds how long the first of them waits.
const BATCH_MAX: usize = 128;

/// Guarantee of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// Survives a crash of the process, but not a power cut.
    Written,
    /// Survives a power cut as well. Costs an `fsync`.
    Synced,
}

/// A message to the thread.
pub(super) enum Message {
    /// Perform a job.
    Job(Box<dyn Job>),
    /// Write everything out, close the database, unlock the folder, then reply.
    Close(oneshot::Sender<()>),
}

/// A unit of work. It may be performed twice; only the last result counts.
pub(super) trait Job: Send {
    fn durability(&self) -> Durability;
    /// Does the work and stores its result. Returns whether to keep its writes.
    fn perform(&mut self, writer: &Writer) -> Keep;
    /// Delivers the result, once it is known whether the transaction was committed.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

/// Whether to keep a job's writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// A [`Job`] made of a closure and the sender of its result.
pub(super) struct Work<F, T> {
    pub(super) work: F,
    pub(super) durability: Durability,
    pub(super) result: Option<Result<T, StoreError>>,
    /// Absent if the caller does not wait.
    pub(super) reply: Option<oneshot::Sender<Result<T, StoreError>>>,
}

impl<F, T> Job for Work<F, T>
where
    F: FnMut(&Writer) -> Result<T, StoreError> + Send,
    T: Send,
{
    fn durability(&self) -> Durability {
        self.durability
    }

    fn perform(&mut self, writer: &Writer) -> Keep {
        let result = (self.work)(writer);
        if let Err(StoreError::Corrupt { .. }) = &result {
            writer.suspect();
        }
        let keep = if result.is_ok() { Keep::Yes } else { Keep::No };
        self.result = Some(result);
        keep
    }

    fn settle(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = match (self.result, committed) {
            (Some(Err(own)), _) => Err(own),
            (_, Err(commit)) => Err(commit),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(StoreError::Closed),
        };
        match (self.reply, result) {
            // An error means that the caller no longer waits.
            (Some(reply), result) => drop(reply.send(result)),
            (None, Err(error)) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a store write was lost");
            }
            (None, Ok(_)) => {}
        }
    }
}

/// The state that every job uses.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) settings: Settings,
    pub(super) clock: Clock,
    /// Outcomes that could not be written; written here alone, retried before each batch.
    pub(super) deferred: RefCell<Deferred>,
    /// The current value of `PRAGMA synchronous`.
    synchronous: Cell<Durability>,
}

impl Writer {
    /// A writer for an opened database in full synchronous mode.
    pub(super) fn new(connection: Connection, settings: Settings, clock: Clock) -> Self {
        Self {
            connection,
            settings,
            clock,
            deferred: RefCell::default(),
            synchronous: Cell::new(Durability::Synced),
        }
    }

    /// The current time in milliseconds since 1970, as stored.
    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Processes messages until the last handle is dropped or a close is requested. The folder stays locked until the
    /// connection is closed.
    pub(super) fn serve(self, mut messages: mpsc::Receiver<Message>, lock: StateLock) {
        let mut closing = None;
        while closing.is_none() {
            let Some(first) = messages.blocking_recv() else { break };
            let mut batch = Vec::new();
            let mut next = Some(first);
            while let Some(message) = next {
                match message {
                    Message::Job(job) => batch.push(job),
                    Message::Close(done) => closing = Some(done),
                }
                let full = batch.len() == BATCH_MAX || closing.is_some();
                next = if full { None } else { messages.try_recv().ok() };
            }
            self.retry_deferred();
            self.perform(batch);
        }
        drop(messages);
        self.retry_deferred();
        self.close();
        drop(lock);
        if let Some(done) = closing {
            // The caller may have been dropped.
            let _ = done.send(());
        }
    }

    fn perform(&self, mut batch: Vec<Box<dyn Job>>) {
        match self.transact(&mut batch) {
            Err(_) if batch.len() > 1 => {
                for job in batch {
                    let mut alone = vec![job];
                    let committed = self.transact(&mut alone);
                    settle(alone, committed);
                }
            }
            committed => settle(batch, committed),
        }
    }

    /// One transaction around the whole batch.
    fn transact(&self, batch: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
        let Some(durability) = batch.iter().map(|job| job.durability()).max() else {
            return Ok(());
        };
        self.set_synchronous(durability)?;
        let connection = &self.connection;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let done = batch.iter_mut().try_for_each(|job| self.perform_one(job.as_mut()));
        let done = done.and_then(|()| Ok(connection.execute_batch("COMMIT")?));
        if !connection.is_autocommit() {
            // The failed transaction is lost either way.
            drop(connection.execute_batch("ROLLBACK"));
        }
        done
    }

    fn perform_one(&self, job: &mut dyn Job) -> Result<(), StoreError> {
        let connection = &self.connection;
        connection.execute_batch("SAVEPOINT job")?;
        match job.perform(self) {
            Keep::Yes => connection.execute_batch("RELEASE job")?,
            // Fails if the job's error has rolled back the whole transaction; then the batch is lost.
            Keep::No => connection.execute_batch("ROLLBACK TO job; RELEASE job")?,
        }
        Ok(())
    }

    fn set_synchronous(&self, durability: Durability) -> Result<(), StoreError> {
        if self.synchronous.get() == durability {
            return Ok(());
        }
        self.connection.execute_batch(match durability {
            Durability::Written => "PRAGMA synchronous = NORMAL",
            Durability::Synced => "PRAGMA synchronous = FULL",
        })?;
        self.synchronous.set(durability);
        Ok(())
    }

    /// Records that a fault was seen in the file, so that the next start checks it in full.
    fn suspect(&self) {
        let Some(path) = self.connection.path() else { return };
        match database::suspect(Path::new(path)) {
            Ok(()) => tracing::error!("the state file is damaged; restart to set it aside"),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::error!(
                    error,
                    "the state file is damaged, and no note of it could be left"
                );
            }
        }
    }

    fn close(self) {
        if let Err((_, source)) = self.connection.close() {
            let error = StoreError::from(source);
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the state file did not close"
            );
        }
    }
}

fn settle(batch: Vec<Box<dyn Job>>, committed: Result<(), StoreError>) {
    let mut committed = Some(committed);
    for job in batch {
        // A batch of several is settled only when it was committed.
        job.settle(committed.take().unwrap_or(Ok(())));
    }
}
