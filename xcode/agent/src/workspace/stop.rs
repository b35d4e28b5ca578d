//! Tells file work to stop early: the call was cancelled, or its time is over.

use std::time::{Duration, Instant};

use llm::Cancel;

/// Checked between the parts of the work.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    cancel: Cancel,
    until: Instant,
}

impl Stop {
    /// Stops on cancellation, or after this time from now.
    pub(crate) fn new(cancel: Cancel, after: Duration) -> Self {
        Self { cancel, until: Instant::now() + after }
    }

    /// Whether to stop now.
    pub(crate) fn is_now(&self) -> bool {
        self.is_cancelled() || Instant::now() >= self.until
    }

    /// Whether the call was cancelled.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
