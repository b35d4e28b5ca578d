//! The engine's view of the tree, created once for all tools of a prompt, on its own thread: a caller stops
//! waiting when its own answer is due, and the work is cancelled together with the prompt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use code_intel::deadline::GiveUp;
use code_intel::{Deadline, Engine, View};

use super::fault::{fault, unavailable};
use crate::tool::ToolFault;

/// Time limit for updating the index, so that a search, which has the shortest timeout, still
/// has time to search (proposal, design point 5: 2,000 ms).
const VIEW_TIME: Duration = Duration::from_millis(1_800);

/// A view, or why there is none.
type Made = Result<Arc<View>, ToolFault>;

/// A view that is created on first use.
#[derive(Default)]
pub(super) struct SharedView {
    slot: Arc<Slot>,
    /// Set by the first caller; dropping it with the prompt cancels the work.
    making: OnceLock<GiveUp>,
}

/// The view, and a notification for waiting callers.
#[derive(Default)]
struct Slot {
    made: Mutex<Option<Made>>,
    is_made: Condvar,
}

impl SharedView {
    /// The view of `engine`, if it is ready before `due`.
    ///
    /// # Errors
    /// [`ToolFault::TooSlow`] if it is not; otherwise the reason why it could not be created.
    pub(super) fn of(&self, engine: &Arc<Engine>, due: Instant) -> Made {
        self.making.get_or_init(|| {
            let deadline = Deadline::after(VIEW_TIME);
            let give_up = deadline.give_up();
            let (engine, slot) = (Arc::clone(engine), Arc::clone(&self.slot));
            let make = move || {
                let made = catch_unwind(AssertUnwindSafe(|| engine.view(&deadline)));
                let crashed = |_| Err(ToolFault::Crashed("it crashed".to_owned()));
                let made = made.map_or_else(crashed, |view| view.map(Arc::new).map_err(fault));
                *slot.lock() = Some(made);
                slot.is_made.notify_all();
            };
            if let Err(error) = thread::Builder::new().name("view".into()).spawn(make) {
                *self.slot.lock() = Some(Err(unavailable(error)));
            }
            give_up
        });
        let left = due.saturating_duration_since(Instant::now());
        let waits =
            self.slot.is_made.wait_timeout_while(self.slot.lock(), left, |made| made.is_none());
        let (made, _) = waits.unwrap_or_else(PoisonError::into_inner);
        made.clone().unwrap_or(Err(ToolFault::TooSlow))
    }

    /// Whether a view was created.
    pub(super) fn is_made(&self) -> bool {
        self.slot.lock().as_ref().is_some_and(Result::is_ok)
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
