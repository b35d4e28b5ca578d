//! The wall clock as a value, replaceable in tests. Deadlines use the monotonic clock instead.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

/// The store's source of the time of day. It may jump in both directions.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that returns `read()`.
    #[must_use]
    pub fn reading(read: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// The current time.
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
