//! Waits for a condition with a time limit, instead of sleeping.

use std::time::Duration;

use tokio::time::Instant;

/// The polling interval.
const INTERVAL: Duration = Duration::from_millis(10);

/// Waits until the condition is true; returns whether that was within the limit.
///
/// # Cancel safety
/// Cancel safe: nothing is lost.
pub async fn wait_until(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    while !condition() {
        if Instant::now() >= end {
            return false;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    true
}

/// Waits until the function returns a value; `None` if it returned none within the limit.
///
/// # Cancel safety
/// Cancel safe: nothing is lost.
pub async fn wait_until_some<T>(
    limit: Duration,
    mut ask: impl AsyncFnMut() -> Option<T>,
) -> Option<T> {
    let end = Instant::now() + limit;
    loop {
        if let Some(value) = ask().await {
            return Some(value);
        }
        if Instant::now() >= end {
            return None;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
