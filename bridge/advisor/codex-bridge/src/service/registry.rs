//! The runs in flight, and the last outcomes: who waits for what, and who may end it.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::id::{RunId, ThreadId};
use contract::outcome::Outcome;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Outcomes kept in memory after their runs ended, for callers who come for them where texts are
/// not stored or could not be.
const KEPT_MAX: usize = 128;

/// Every run this process has accepted and not yet finished, and the newest finished ones.
#[derive(Default)]
pub(super) struct Runs(Mutex<Table>);

#[derive(Default)]
struct Table {
    live: HashMap<RunId, Live>,
    /// The threads that runs in flight go on in; Codex lets only one of them write.
    threads: HashMap<ThreadId, RunId>,
    /// Newest last.
    kept: VecDeque<(RunId, Arc<Outcome>)>,
}

/// Where a run's outcome goes.
pub(super) type Done = watch::Sender<Option<Arc<Outcome>>>;

/// A run in flight.
#[derive(Clone)]
pub(super) struct Live {
    /// Cancelled to end the run.
    pub(super) cancel: CancellationToken,
    /// Its outcome, once there is one.
    outcome: watch::Receiver<Option<Arc<Outcome>>>,
}

impl Live {
    /// Waits for the run's end. Nothing where its task died without one.
    ///
    /// # Cancel safety
    /// The run goes on.
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
    /// Enters a run; its outcome goes into the sender. Where another run in flight holds the thread
    /// that this one is to go on in, that one is named instead.
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

    /// The outcome, if the run ended lately in this process.
    pub(super) fn kept(&self, run: RunId) -> Option<Arc<Outcome>> {
        self.table()
            .kept
            .iter()
            .rev()
            .find(|(id, _)| *id == run)
            .map(|(_, outcome)| Arc::clone(outcome))
    }

    /// Takes the run out and keeps its outcome. Waiters have the sender's end.
    pub(super) fn leave(&self, run: RunId, outcome: Arc<Outcome>) {
        let mut table = self.table();
        table.remove(run);
        if table.kept.len() == KEPT_MAX {
            table.kept.pop_front();
        }
        table.kept.push_back((run, outcome));
    }

    /// Takes out a run that was not accepted.
    pub(super) fn withdraw(&self, run: RunId) {
        self.table().remove(run);
    }

    /// How many runs are in flight.
    pub(super) fn len(&self) -> usize {
        self.table().live.len()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Nothing panics while the table is held; if it did, the table would still be whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
