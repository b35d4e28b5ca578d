//! Waiting for a condition with a limit, in place of sleeping.

use std::time::Duration;

use tokio::time::Instant;

/// How often a condition is looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// Waits until the condition holds; says whether it did within the limit.
///
/// # Cancel safety
/// Nothing is lost.
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

/// Waits until asking gives a value; `None` when it gave none within the limit.
///
/// # Cancel safety
/// Nothing is lost.
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
