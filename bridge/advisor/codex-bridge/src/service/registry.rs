//! The runs in flight with their cancellation tokens, and the latest outcomes.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::id::{RunId, ThreadId};
use contract::outcome::Outcome;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Maximum number of outcomes kept in memory after their runs ended, for callers who fetch them if texts are
/// not stored or could not be.
const KEPT_MAX: usize = 128;

/// Every run this process has accepted and not yet finished, and the newest finished ones.
#[derive(Default)]
pub(super) struct Runs(Mutex<Table>);

#[derive(Default)]
struct Table {
    live: HashMap<RunId, Live>,
    /// The threads used by runs in flight; Codex allows one writer per thread.
    threads: HashMap<ThreadId, RunId>,
    /// Newest last.
    kept: VecDeque<(RunId, Arc<Outcome>)>,
}

/// Sender of a run's outcome.
pub(super) type Done = watch::Sender<Option<Arc<Outcome>>>;

/// A run in flight.
#[derive(Clone)]
pub(super) struct Live {
    /// Cancelled to cancel the run.
    pub(super) cancel: CancellationToken,
    /// Its outcome; `None` until it has ended.
    outcome: watch::Receiver<Option<Arc<Outcome>>>,
}

impl Live {
    /// Waits for the run's end. `None` if its task died without an outcome.
    ///
    /// # Cancel safety
    /// The run continues.
    pub(super) async fn ended(mut self) -> Option<Arc<Outcome>> {
        let outcome = self.outcome.wait_for(Option::is_some).await.ok()?;
        outcome.clone()
    }
}

impl Table {
    fn remove(&mut self, run: RunId) {
        self.live.remove(&run);
        self.threads.retain(|_, holder| *holder != run);
    }
}

impl Runs {
    /// Registers a run and returns the sender for its outcome. If another run in flight uses the same thread,
    /// returns that run instead.
    pub(super) fn enter(
        &self,
        run: RunId,
        cancel: CancellationToken,
        thread: Option<ThreadId>,
    ) -> Result<Done, RunId> {
        let (sender, outcome) = watch::channel(None);
        let mut table = self.table();
        if let Some(thread) = thread {
            match table.threads.get(&thread) {
                Some(holder) => return Err(*holder),
                None => table.threads.insert(thread, run),
            };
        }
        table.live.insert(run, Live { cancel, outcome });
        Ok(sender)
    }

    /// The run, if it is in flight.
    pub(super) fn live(&self, run: RunId) -> Option<Live> {
        self.table().live.get(&run).cloned()
    }

    /// The outcome, if the run ended recently in this process.
    pub(super) fn kept(&self, run: RunId) -> Option<Arc<Outcome>> {
        self.table()
            .kept
            .iter()
            .rev()
            .find(|(id, _)| *id == run)
            .map(|(_, outcome)| Arc::clone(outcome))
    }

    /// Removes an ended run and keeps its outcome. Waiting callers have received it through the sender.
    pub(super) fn leave(&self, run: RunId, outcome: Arc<Outcome>) {
        let mut table = self.table();
        table.remove(run);
        if table.kept.len() == KEPT_MAX {
            table.kept.pop_front();
        }
        table.kept.push_back((run, outcome));
    }

    /// Removes a run that was not accepted.
    pub(super) fn withdraw(&self, run: RunId) {
        self.table().remove(run);
    }

    /// How many runs are in flight.
    pub(super) fn len(&self) -> usize {
        self.table().live.len()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing panics while the lock is held; if it did, the table would still be consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
