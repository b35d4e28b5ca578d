//! Usage of the account's plan as last reported by Codex. Kept in memory only.

use std::sync::{Mutex, PoisonError};

use codex_driver::PlanWindow;
use jiff::{Timestamp, ToSpan as _};

/// The primary and the secondary window, each with the time of the report. Written by the runs, read by the
/// usage page.
#[derive(Debug, Default)]
pub(super) struct PlanUse(Mutex<[Option<(PlanWindow, Timestamp)>; 2]>);

impl PlanUse {
    /// Stores a report. A window that is missing from it stays as it was: Codex's updates are sparse
    /// (codex 0.169).
    pub(super) fn told(&self, windows: [Option<PlanWindow>; 2], now: Timestamp) {
        // Each change is one assignment, so a panic elsewhere leaves the value consistent.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (kept, window) in kept.iter_mut().zip(windows) {
            *kept = window.map(|window| (window, now)).or(*kept);
        }
    }

    /// The known windows with the time of their report. A window that has restarted since is dropped.
    pub(super) fn at(&self, now: Timestamp) -> Vec<(PlanWindow, Timestamp)> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for kept in kept.iter_mut() {
            kept.take_if(|(window, told)| end(*window, *told).is_some_and(|end| end <= now));
        }
        kept.iter().flatten().copied().collect()
    }
}

/// The latest time at which a window restarts.
fn end(window: PlanWindow, told: Timestamp) -> Option<Timestamp> {
    let reset = window.resets_at_s.and_then(|at| Timestamp::from_second(at).ok());
    let minutes = window.minutes.and_then(|minutes| i64::try_from(minutes).ok());
    reset.or_else(|| told.checked_add(minutes?.minutes()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(used_percent: u8, minutes: Option<u64>, resets_at_s: Option<i64>) -> PlanWindow {
        PlanWindow { used_percent, minutes, resets_at_s }
    }

    fn second(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn the_newest_word_on_each_window_counts() {
        let plan = PlanUse::default();
        assert_eq!(plan.at(second(0)), []);
        let (old, new, long) =
            (window(1, None, None), window(2, None, None), window(3, None, None));
        plan.told([Some(old), Some(long)], second(10));
        plan.told([Some(new), None], second(20));
        assert_eq!(plan.at(second(30)), [(new, second(20)), (long, second(10))]);
        for used in 0..10_000_u32 {
            plan.told([None, Some(window((used % 100) as u8, None, None))], second(40));
        }
        assert_eq!(plan.at(second(50)), [(new, second(20)), (window(99, None, None), second(40))]);
    }

    #[test]
    fn a_window_that_has_begun_anew_is_forgotten() {
        let check = |window: PlanWindow, now: i64, is_known: bool| {
            let plan = PlanUse::default();
            plan.told([None, Some(window)], second(600));
            assert_eq!(plan.at(second(now)).len(), usize::from(is_known), "{window:?} {now}");
            // A clock that is set back does not restore a dropped window.
            assert_eq!(plan.at(second(0)).len(), usize::from(is_known), "{window:?} {now}");
        };
        check(window(7, None, Some(1_000)), 999, true);
        check(window(7, None, Some(1_000)), 1_000, false);
        check(window(7, Some(1), Some(1_000)), 999, true);
        // If only its length is known, it restarts at the latest after that time.
        check(window(7, Some(1), None), 659, true);
        check(window(7, Some(1), None), 660, false);
        check(window(7, Some(u64::MAX), None), 660, true);
        check(window(7, None, None), 1_000_000_000, true);
        check(window(7, None, Some(500)), 600, false);
    }
}
