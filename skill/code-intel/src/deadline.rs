//! The point in time at which an answer is due. What is found by then is the answer; nothing here
//! interrupts anyone: whoever works looks at the clock.

use std::time::{Duration, Instant};

/// When an answer is due.
#[derive(Clone, Copy, Debug)]
pub struct Deadline {
    begun: Instant,
    due: Instant,
}

impl Deadline {
    /// Due when `timeout` has passed from now.
    #[must_use]
    pub fn after(timeout: Duration) -> Self {
        let begun = Instant::now();
        let due = begun.checked_add(timeout).unwrap_or(begun + Duration::from_secs(86_400));
        Self { begun, due }
    }

    /// Whether the time is over.
    #[must_use]
    pub fn passed(&self) -> bool {
        Instant::now() >= self.due
    }

    /// What is left; zero when the time is over.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// How long ago the question was put.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// An earlier deadline: this part of the whole time (`0.0..=1.0`), counted from the beginning.
    #[must_use]
    pub fn part(&self, fraction: f64) -> Self {
        let whole = self.due.saturating_duration_since(self.begun);
        Self { begun: self.begun, due: self.begun + whole.mul_f64(fraction.clamp(0.0, 1.0)) }
    }
}
