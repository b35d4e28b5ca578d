//! Times as stored in the court's files.

use jiff::Timestamp;

/// Milliseconds since 1970.
pub fn millis(timestamp: Timestamp) -> u64 {
    u64::try_from(timestamp.as_millisecond()).unwrap_or_default()
}

/// Now, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    millis(Timestamp::now())
}

/// RFC 3339 to the second, from milliseconds since 1970.
pub fn text(at_ms: u64) -> String {
    let seconds = i64::try_from(at_ms / 1000).unwrap_or_default();
    Timestamp::from_second(seconds).map(|at| at.to_string()).unwrap_or_default()
}
