//! Divides the time budget: checks whether there is time for one more tool of tier 2 in the worst case.

use orchestration::limits;
use orchestration::report::ToolPlan;
use orchestration::settings::TIER_2_MS;

use crate::clamp;
use crate::limits::Limits;

/// Whether a tool ends in time if all tools before it use their whole timeout: within the user's total budget
/// plus the extension for tier 2, and the tool itself within the user's budget. Otherwise adds a limit.
pub(super) fn allows(plan: &ToolPlan, tool: &str, limits: &mut Limits) -> bool {
    let Some(timeout_ms) = clamp::allowed(tool).map(|allowed| allowed.timeout_ms) else {
        return false;
    };
    let wall_ms = plan.budget.wall_ms;
    let timeouts = plan.tools.iter().map(|planned| planned.timeout_ms);
    let end_ms = last_end(timeouts.chain([timeout_ms]), plan.budget.max_concurrency);
    let is_allowed = timeout_ms <= wall_ms && end_ms <= wall_ms.saturating_add(TIER_2_MS);
    if !is_allowed {
        limits.say(format!("{}: {tool} may take {timeout_ms} ms", limits::TIER_2_BUDGET));
    }
    is_allowed
}

/// When the last tool ends, if `at_once` run concurrently and each uses its whole timeout.
fn last_end(timeouts: impl Iterator<Item = u64>, at_once: u64) -> u64 {
    let mut free_at = vec![0_u64; usize::try_from(at_once).unwrap_or(1).clamp(1, 64)];
    let mut end = 0;
    for timeout in timeouts {
        // The first free slot is used.
        if let Some(place) = free_at.iter_mut().min() {
            *place = place.saturating_add(timeout);
            end = *place;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_wait_for_a_place() {
        let usual = [500, 2_000, 3_500, 3_500, 3_000];
        assert_eq!(last_end(usual.into_iter(), 3), 5_000);
        assert_eq!(last_end(usual.into_iter(), 1), 12_500);
        assert_eq!(last_end(usual.into_iter(), 16), 3_000);
        assert_eq!(last_end([u64::MAX, u64::MAX].into_iter(), 1), u64::MAX);
        assert_eq!(last_end(std::iter::empty(), 0), 0);
    }
}
