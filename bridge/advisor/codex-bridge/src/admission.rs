//! How much may happen at once: requests wait in a short queue until one of a few workers is free; beyond that
//! they are refused at once.
//!
//! The order is the order of [`Admission::enter`]. A ticket that is dropped leaves the queue, a
//! permit that is dropped frees its worker, and nothing is lost in between.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How long a run is taken to last before one has ended: a short answer of a reasoning model.
const RUN_GUESS: Duration = Duration::from_secs(20);
/// Bounds of what a refused caller is told to wait.
const RETRY_AFTER_MIN: Duration = Duration::from_secs(1);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(120);

/// The door to the workers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Admission(Arc<Shared>);

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Every worker is busy and the queue is full.
    #[error("the queue is full; try again in {} s", retry_after.as_secs())]
    Overloaded {
        /// When a place is likely to be free.
        retry_after: Duration,
    },
    /// The daemon is shutting down.
    #[error("the daemon is shutting down")]
    Draining,
}

/// Why a ticket did not become a permit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// The run's deadline passed in the queue.
    #[error("the deadline passed while waiting for a worker")]
    DeadlinePassed,
    /// The run was cancelled in the queue.
    #[error("cancelled while waiting for a worker")]
    Cancelled,
}

/// How busy the workers are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Permits that are out.
    pub running: usize,
    /// Tickets that wait.
    pub queued: usize,
}

/// How many may run and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Workers.
    pub max_running: usize,
    /// Places in the queue.
    pub max_queued: usize,
}

#[derive(Debug)]
struct Shared {
    max_running: usize,
    max_queued: usize,
    /// Never held across an await.
    state: Mutex<State>,
    /// What `state` says, for gauges and for who waits for rest. Written under the lock.
    load: watch::Sender<Load>,
}

#[derive(Debug)]
struct State {
    running: usize,
    /// Who waits, oldest first.
    queue: VecDeque<Waiter>,
    next_number: u64,
    open: bool,
    /// Moving average of how long a permit was held; decides `retry_after` only.
    held: Duration,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    granted: oneshot::Sender<Permit>,
}

impl Admission {
    /// A door to `max_running` workers (at least one) with `max_queued` places before them.
    #[must_use]
    pub fn new(max_running: usize, max_queued: usize) -> Self {
        Self(Arc::new(Shared {
            max_running: max_running.max(1),
            max_queued,
            state: Mutex::new(State {
                running: 0,
                queue: VecDeque::new(),
                next_number: 0,
                open: true,
                held: RUN_GUESS,
            }),
            load: watch::Sender::default(),
        }))
    }

    /// Takes a place, or hears at once that there is none.
    ///
    /// # Errors
    /// [`Refused::Draining`] after [`Admission::close`]; [`Refused::Overloaded`] while every worker
    /// and every place in the queue is taken.
    pub fn enter(&self) -> Result<Ticket, Refused> {
        let mut state = self.0.state();
        if !state.open {
            return Err(Refused::Draining);
        }
        let (granted, grant) = oneshot::channel();
        let number = state.next_number;
        if state.running < self.0.max_running {
            let permit = self.0.permit(&mut state);
            granted.send(permit).expect("the receiver is a local that is still there");
        } else if state.queue.len() < self.0.max_queued {
            state.queue.push_back(Waiter { number, granted });
        } else {
            return Err(Refused::Overloaded { retry_after: self.0.retry_after(&state) });
        }
        state.next_number += 1;
        self.0.publish(&state);
        drop(state);
        Ok(Ticket {
            place: QueueSlot { number, door: self.0.clone() },
            grant,
            entered: Instant::now(),
        })
    }

    /// How busy the workers are.
    #[must_use]
    pub fn load(&self) -> Load {
        *self.0.load.borrow()
    }

    /// How many may run and wait.
    #[must_use]
    pub fn room(&self) -> Room {
        Room { max_running: self.0.max_running, max_queued: self.0.max_queued }
    }

    /// Whether new work is taken.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.state().open
    }

    /// Takes no new work from now on. What is in the queue stays and is served.
    pub fn close(&self) {
        self.0.state().open = false;
    }

    /// Waits until nothing runs and nothing waits.
    ///
    /// # Cancel safety
    /// A dropped call has no effect.
    pub async fn idle(&self) {
        let mut load = self.0.load.subscribe();
        // An error is impossible while `self` holds the sender.
        let _ = load.wait_for(|load| *load == Load::default()).await;
    }
}

/// A place in the queue. Dropped, it is given up.
#[derive(Debug)]
pub struct Ticket {
    /// Dropped before `grant`: leaving the queue comes before giving a permit back.
    place: QueueSlot,
    grant: oneshot::Receiver<Permit>,
    entered: Instant,
}

impl Ticket {
    /// Waits for a worker.
    ///
    /// # Errors
    /// [`NotAdmitted`] by what came first. The place is free again then.
    ///
    /// # Cancel safety
    /// A dropped call gives the place up.
    pub async fn wait(
        self,
        deadline: Instant,
        cancel: &CancellationToken,
    ) -> Result<Permit, NotAdmitted> {
        let Self { place, grant, .. } = self;
        // Both other arms are cancel safe; a permit that was granted meanwhile is dropped with
        // `grant`, which frees it.
        let permit = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(NotAdmitted::Cancelled),
            permit = grant => Ok(permit.expect("a waiter is removed by its own ticket only")),
            () = tokio::time::sleep_until(deadline) => Err(NotAdmitted::DeadlinePassed),
        };
        drop(place);
        permit
    }

    /// When the place was taken.
    #[must_use]
    pub fn entered(&self) -> Instant {
        self.entered
    }
}

#[derive(Debug)]
struct QueueSlot {
    number: u64,
    door: Arc<Shared>,
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        let mut state = self.door.state();
        let found = state.queue.iter().position(|waiter| waiter.number == self.number);
        if let Some(index) = found {
            state.queue.remove(index);
            self.door.publish(&state);
        }
    }
}

/// The right to run one Codex. Dropped, it goes to the next in the queue.
#[derive(Debug)]
pub struct Permit {
    /// Absent only while the permit is dropped.
    door: Option<Arc<Shared>>,
    since: Instant,
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(door) = self.door.take() {
            door.release(self.since.elapsed());
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code that can panic runs under the lock; the counts are right whatever happened.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>, state: &mut State) -> Permit {
        state.running += 1;
        Permit { door: Some(self.clone()), since: Instant::now() }
    }

    fn release(self: &Arc<Self>, held: Duration) {
        let mut state = self.state();
        state.running -= 1;
        state.held = (state.held * 7 + held) / 8;
        while let Some(waiter) = state.queue.pop_front() {
            let permit = self.permit(&mut state);
            match waiter.granted.send(permit) {
                Ok(()) => break,
                // The ticket is being dropped on another thread. Its permit must not release
                // itself here, under the lock.
                Err(mut unclaimed) => {
                    unclaimed.door = None;
                    state.running -= 1;
                }
            }
        }
        self.publish(&state);
    }

    fn publish(&self, state: &State) {
        self.load.send_replace(Load { running: state.running, queued: state.queue.len() });
    }

    fn retry_after(&self, state: &State) -> Duration {
        let ahead = u32::try_from(state.queue.len() + 1).unwrap_or(u32::MAX);
        let workers = u32::try_from(self.max_running).unwrap_or(u32::MAX);
        let wait = state.held.saturating_mul(ahead) / workers;
        let whole = Duration::from_secs(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
        whole.clamp(RETRY_AFTER_MIN, RETRY_AFTER_MAX)
    }
}

#[cfg(test)]
mod tests;
