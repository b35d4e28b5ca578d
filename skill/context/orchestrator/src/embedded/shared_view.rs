//! The engine's view of the tree, made once for all tools of a prompt. It is made on a thread of its own:
//! a caller that waits for it gives up when its own answer is due, and the work is given up with the prompt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use code_intel::deadline::GiveUp;
use code_intel::{Deadline, Engine, View};

use super::fault::{fault, unavailable};
use crate::tool::ToolFault;

/// How long the index may be brought up to date: so that a search, the first that is given up, still
/// has time to search (proposal, design point 5: 2,000 ms).
const VIEW_TIME: Duration = Duration::from_millis(1_800);

/// A view, or why there is none.
type Made = Result<Arc<View>, ToolFault>;

/// A view that is made for the first who asks.
#[derive(Default)]
pub(super) struct SharedView {
    slot: Arc<Slot>,
    /// Set by the first who asks; dropped with the prompt, which ends the work.
    making: OnceLock<GiveUp>,
}

/// Where the view is put, and who waits for it.
#[derive(Default)]
struct Slot {
    made: Mutex<Option<Made>>,
    is_made: Condvar,
}

impl SharedView {
    /// The view of `engine`, if it is there before `due`.
    ///
    /// # Errors
    /// [`ToolFault::TooSlow`] when it is not; else why it cannot be made, for each who asks.
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

    /// Whether a view was made.
    pub(super) fn is_made(&self) -> bool {
        self.slot.lock().as_ref().is_some_and(Result::is_ok)
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Option<Made>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
