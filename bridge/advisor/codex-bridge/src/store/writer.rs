//! The one thread that owns the connection, and how it takes work.
//!
//! Jobs that wait together are committed together: one `fsync` for all of them. Each runs in a
//! savepoint of its own, so a refused job leaves no trace in its neighbours' transaction. Where
//! the common transaction is lost (a full disk rolls it back), each job is done again alone.

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

/// Jobs committed together at most: bounds how long the first of them waits.
const BATCH_MAX: usize = 128;

/// What a commit promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// Survives the death of the process; a power cut may take it back.
    Written,
    /// Survives a power cut as well. Costs an `fsync`.
    Synced,
}

/// What the thread is asked.
pub(super) enum Message {
    /// Do this.
    Job(Box<dyn Job>),
    /// Write everything out, close the database, free the folder, then answer.
    Close(oneshot::Sender<()>),
}

/// A piece of work. It may be performed twice, and only the last time counts.
pub(super) trait Job: Send {
    fn durability(&self) -> Durability;
    /// Does the work and keeps its result. Says whether what it wrote shall stay.
    fn perform(&mut self, writer: &Writer) -> Keep;
    /// Hands the result over, once it is known whether the transaction was committed.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

/// Whether what a job wrote shall stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// A [`Job`] made of a closure and the place where its result is awaited.
pub(super) struct Work<F, T> {
    pub(super) work: F,
    pub(super) durability: Durability,
    pub(super) result: Option<Result<T, StoreError>>,
    /// Absent where the caller does not wait.
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
            // A receiver that is gone has stopped caring.
            (Some(reply), result) => drop(reply.send(result)),
            (None, Err(error)) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a store write was lost");
            }
            (None, Ok(_)) => {}
        }
    }
}

/// What every job works with.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) settings: Settings,
    pub(super) clock: Clock,
    /// Ends of runs that the medium refused; written here alone, tried again before each batch.
    pub(super) deferred: RefCell<Deferred>,
    /// What `PRAGMA synchronous` is set to.
    synchronous: Cell<Durability>,
}

impl Writer {
    /// A writer over an opened database in full synchronous mode.
    pub(super) fn new(connection: Connection, settings: Settings, clock: Clock) -> Self {
        Self {
            connection,
            settings,
            clock,
            deferred: RefCell::default(),
            synchronous: Cell::new(Durability::Synced),
        }
    }

    /// Milliseconds since 1970, as stored.
    pub(super) fn now_ms(&self) -> i64 {
        self.clock.now().as_millisecond()
    }

    /// Works until the last handle is gone or one asks to close. The folder stays locked until the
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
            // The caller may have gone.
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
            // What the failed transaction holds is lost either way.
            drop(connection.execute_batch("ROLLBACK"));
        }
        done
    }

    fn perform_one(&self, job: &mut dyn Job) -> Result<(), StoreError> {
        let connection = &self.connection;
        connection.execute_batch("SAVEPOINT job")?;
        match job.perform(self) {
            Keep::Yes => connection.execute_batch("RELEASE job")?,
            // Fails where the job's error has rolled back everything: the batch is lost then.
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

    /// A fault was seen in the file: the next start is to look for it.
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
