//! Measured times, and their statistics.

use std::fmt;
use std::time::Duration;

/// Times in milliseconds, sorted; at least one.
#[derive(Debug, Clone)]
pub(crate) struct Samples(Vec<f64>);

impl Samples {
    /// # Panics
    /// If there is no value.
    pub(crate) fn new(values_ms: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values_ms.into_iter().collect();
        assert!(!values.is_empty(), "nothing was measured");
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    pub(crate) fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        Self::new(times.into_iter().map(millis))
    }

    /// The smallest value that `percent` of all values do not exceed.
    pub(crate) fn percentile(&self, percent: usize) -> f64 {
        let rank = (self.0.len() * percent).div_ceil(100).max(1);
        self.0[rank - 1]
    }

    pub(crate) fn median(&self) -> f64 {
        self.percentile(50)
    }
}

impl fmt::Display for Samples {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, p95, p99) = (self.median(), self.percentile(95), self.percentile(99));
        write!(
            formatter,
            "median {median:.2} ms, p95 {p95:.2} ms, p99 {p99:.2} ms (n = {})",
            self.0.len()
        )
    }
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let samples = Samples::new((1..=40).rev().map(f64::from));
        assert_eq!(samples.median(), 20.0);
        assert_eq!(samples.percentile(95), 38.0);
        assert_eq!(samples.percentile(99), 40.0);
        assert_eq!(Samples::new([7.0]).percentile(1), 7.0);
    }
}
