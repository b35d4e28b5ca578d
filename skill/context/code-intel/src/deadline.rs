//! The point in time at which an answer is due. The results found by then are the answer; a search is not
//! interrupted: the working code checks the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When an answer is due.
#[derive(Clone, Debug)]
pub struct Deadline {
    begun: Instant,
    due: Instant,
    /// Set when the caller no longer needs the answer; the deadline has then passed.
    given_up: Arc<AtomicBool>,
}

/// Cancels the answer when dropped; has no effect on a finished answer.
#[derive(Debug)]
pub struct GiveUp(Arc<AtomicBool>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    /// A deadline `timeout` from now.
    #[must_use]
    pub fn after(timeout: Duration) -> Self {
        let begun = Instant::now();
        let due = begun.checked_add(timeout).unwrap_or(begun + Duration::from_secs(86_400));
        Self { begun, due, given_up: Arc::default() }
    }

    /// A handle that cancels this deadline and all derived from it.
    #[must_use]
    pub fn give_up(&self) -> GiveUp {
        GiveUp(Arc::clone(&self.given_up))
    }

    /// Whether the deadline has passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.remaining().is_zero()
    }

    /// The remaining time; zero if the deadline has passed.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        match self.given_up.load(Ordering::Relaxed) {
            true => Duration::ZERO,
            false => self.due.saturating_duration_since(Instant::now()),
        }
    }

    /// Time since the question was asked.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// An earlier deadline: this fraction of the whole time (`0.0..=1.0`), counted from the beginning.
    #[must_use]
    pub fn part(&self, fraction: f64) -> Self {
        let whole = self.due.saturating_duration_since(self.begun);
        let due = self.begun + whole.mul_f64(fraction.clamp(0.0, 1.0));
        Self { due, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_given_up_is_due_at_once_in_all_its_parts() {
        let deadline = Deadline::after(Duration::from_secs(3_600));
        let part = deadline.part(0.5);
        assert!(!part.passed() && part.remaining() < deadline.remaining());
        let give_up = part.give_up();
        assert!(!deadline.passed());
        drop(give_up);
        assert!(deadline.passed() && part.passed() && deadline.remaining().is_zero());
    }
}
