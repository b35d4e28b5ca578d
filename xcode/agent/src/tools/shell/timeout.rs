//! A duration that a model gives.

use std::time::Duration;

/// The longest that is understood: a day. The tools have their own limits below.
const MAX: Duration = Duration::from_secs(24 * 3_600);

/// So many milliseconds; none where that is no duration.
pub(super) fn milliseconds(asked: f64) -> Option<Duration> {
    let asked = Some(asked).filter(|asked| *asked >= 1.0)?;
    Some(Duration::try_from_secs_f64(asked / 1_000.0).unwrap_or(MAX).min(MAX))
}
