//! Reproducible random numbers: SplitMix64 (Steele, Lea, Flood 2014). Not for secrets.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A sequence of numbers that a seed determines.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A random element.
    pub(super) fn pick<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        let count = u64::try_from(items.len()).expect("a slice's length fits");
        let index = usize::try_from(self.next() % count).expect("below a slice's length");
        &items[index]
    }

    /// A random duration in this range, in whole milliseconds.
    pub(super) fn duration(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u64::try_from((most - least).as_millis()).expect("below 500 million years");
        least + Duration::from_millis(self.next() % (span + 1))
    }
}

/// A seed that differs from run to run.
pub(super) fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) ^ now.as_secs()
}
