//! Parses a duration given by a model.

use std::time::Duration;

/// The longest accepted duration: a day. The tools have lower limits.
const MAX: Duration = Duration::from_secs(24 * 3_600);

/// A duration of so many milliseconds; none if the number is not a duration.
pub(super) fn milliseconds(asked: f64) -> Option<Duration> {
    let asked = Some(asked).filter(|asked| *asked >= 1.0)?;
    Some(Duration::try_from_secs_f64(asked / 1_000.0).unwrap_or(MAX).min(MAX))
}
