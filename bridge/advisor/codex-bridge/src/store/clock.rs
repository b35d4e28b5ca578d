//! The wall clock, as a value. Deadlines never come from here: they are monotonic.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// Where the store reads the time of day. It may jump in both directions.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that shows what `read` returns.
    #[must_use]
    pub fn reading(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// What it shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Clock(..)")
    }
}
