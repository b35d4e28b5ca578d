//! Admission control: a fixed number of workers, a bounded queue of requests in front of them, and an immediate
//! refusal when the queue is full.
//!
//! The queue is first in, first out, in the order of the [`Admission::enter`] calls. Dropping a ticket leaves the
//! queue; dropping a permit frees its worker. Neither can leak a place.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Assumed duration of a run until one has ended: a short answer of a reasoning model.
const RUN_GUESS: Duration = Duration::from_secs(20);
/// Bounds of the `retry_after` that a refused caller gets.
const RETRY_AFTER_MIN: Duration = Duration::from_secs(1);
const RETRY_AFTER_MAX: Duration = Duration::from_secs(120);

/// Admits requests to the workers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Admission(Arc<Shared>);

/// Why a request was refused.
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

/// Why a waiting ticket did not become a permit.
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
    /// Permits in use.
    pub running: usize,
    /// Tickets in the queue.
    pub queued: usize,
}

/// Capacity: how many requests may run and how many may wait.
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
    /// The lock is never held across an await.
    state: Mutex<State>,
    /// Copy of the counts in `state`, for gauges and for [`Admission::idle`]. Written under the lock.
    load: watch::Sender<Load>,
}

#[derive(Debug)]
struct State {
    running: usize,
    /// Waiting requests, oldest first.
    queue: VecDeque<Waiter>,
    next_number: u64,
    open: bool,
    /// Moving average of how long permits were held; used for `retry_after` only.
    held: Duration,
}

#[derive(Debug)]
struct Waiter {
    number: u64,
    granted: oneshot::Sender<Permit>,
}

impl Admission {
    /// Creates an admission control with `max_running` workers (at least one) and `max_queued` places in the queue.
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

    /// Takes a place in the queue, or fails at once.
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

    /// The capacity.
    #[must_use]
    pub fn room(&self) -> Room {
        Room { max_running: self.0.max_running, max_queued: self.0.max_queued }
    }

    /// Whether new work is taken.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.state().open
    }

    /// Refuses new work from now on. Requests already in the queue are still served.
    pub fn close(&self) {
        self.0.state().open = false;
    }

    /// Waits until no request is running or queued.
    ///
    /// # Cancel safety
    /// A dropped call has no effect.
    pub async fn idle(&self) {
        let mut load = self.0.load.subscribe();
        // An error is impossible while `self` holds the sender.
        let _ = load.wait_for(|load| *load == Load::default()).await;
    }
}

/// A place in the queue. Dropping it gives the place up.
#[derive(Debug)]
pub struct Ticket {
    /// Declared before `grant`, so it is dropped first: the place is left before a permit is given back.
    place: QueueSlot,
    grant: oneshot::Receiver<Permit>,
    entered: Instant,
}

impl Ticket {
    /// Waits for a worker.
    ///
    /// # Errors
    /// [`NotAdmitted`], by whichever cause came first. The place is given up.
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

    /// When the ticket entered the queue.
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

/// The right to run one Codex process. When dropped, it passes to the next ticket in the queue.
#[derive(Debug)]
pub struct Permit {
    /// `None` only while the permit is being dropped.
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
