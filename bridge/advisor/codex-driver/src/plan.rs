//! Parses how much of the account's plan is used, from `account/rateLimits/updated` of Codex's app-server
//! (codex 0.169; `codex exec` does not report it). Only three numbers per window are read, not the names of plans and
//! limits, credits and the rest.

use serde_json::Value;

/// Codex's name for the plan's limit. A model may have its own limit with another name.
const PLAN: &str = "codex";

/// Maximum plausible usage, in per cent: a window may be overdrawn, but not by more.
const PERCENT_MAX: u64 = 1_000;

/// Maximum plausible window, in minutes: a leap year.
const MINUTES_MAX: u64 = 366 * 24 * 60;

/// Latest plausible time, in seconds since 1970: the beginning of the year 9999.
const RESETS_AT_MAX_S: i64 = 253_370_764_800;

/// A window of the plan, as reported by Codex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanWindow {
    /// Usage in per cent: at most 100, even if it is overdrawn.
    pub used_percent: u8,
    /// Its length in minutes.
    pub minutes: Option<u64>,
    /// When it resets, in seconds since 1970.
    pub resets_at_s: Option<i64>,
}

/// The primary and the secondary window in `rateLimits`. Implausible numbers are treated as
/// absent.
pub(crate) fn read(limits: &Value) -> [Option<PlanWindow>; 2] {
    if limits["limitId"].as_str().is_some_and(|id| id != PLAN) {
        return [None; 2];
    }
    ["primary", "secondary"].map(|name| window(&limits[name]))
}

fn window(told: &Value) -> Option<PlanWindow> {
    let used = told["usedPercent"].as_u64().filter(|used| *used <= PERCENT_MAX)?;
    let minutes = told["windowDurationMins"].as_u64();
    let resets_at_s = told["resetsAt"].as_i64();
    Some(PlanWindow {
        used_percent: u8::try_from(used.min(100)).ok()?,
        minutes: minutes.filter(|minutes| (1..=MINUTES_MAX).contains(minutes)),
        resets_at_s: resets_at_s.filter(|at| (1..=RESETS_AT_MAX_S).contains(at)),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(used_percent: u8, minutes: Option<u64>, resets_at_s: Option<i64>) -> PlanWindow {
        PlanWindow { used_percent, minutes, resets_at_s }
    }

    #[test]
    fn both_windows_of_the_plan_are_read_and_no_other_limit() {
        let mut limits = json!({
            "limitId": "codex",
            "planType": "pro",
            "primary": { "usedPercent": 43, "windowDurationMins": 300, "resetsAt": 1_795_545_767 },
            "secondary": { "usedPercent": 91, "windowDurationMins": 10_080, "resetsAt": null },
        });
        let both =
            [Some(plan(43, Some(300), Some(1_795_545_767))), Some(plan(91, Some(10_080), None))];
        assert_eq!(read(&limits), both);
        limits["limitId"] = Value::Null;
        assert_eq!(read(&limits), both);
        limits["limitId"] = "codex_bengalfox".into();
        assert_eq!(read(&limits), [None; 2]);
    }

    #[test]
    fn what_is_no_plausible_number_is_not_believed() {
        let check = |told: Value, expected: Option<PlanWindow>| {
            let limits = json!({ "primary": told, "secondary": null });
            assert_eq!(read(&limits), [expected, None], "{limits}");
        };
        for none in [
            json!(null),
            json!(43),
            json!("43"),
            json!([43]),
            json!({}),
            json!({ "usedPercent": null }),
            json!({ "usedPercent": -5 }),
            json!({ "usedPercent": "43" }),
            json!({ "usedPercent": "NaN" }),
            json!({ "usedPercent": 42.5 }),
            json!({ "usedPercent": 1e300 }),
            json!({ "usedPercent": i32::MAX }),
            json!({ "usedPercent": u64::MAX }),
            json!({ "usedPercent": { "usedPercent": 43 } }),
        ] {
            check(none, None);
        }
        check(json!({ "usedPercent": 0 }), Some(plan(0, None, None)));
        check(json!({ "usedPercent": 104 }), Some(plan(100, None, None)));
        for odd in [json!(0), json!(-3), json!("300"), json!(1.5), json!(i64::MAX), json!([])] {
            let told = json!({ "usedPercent": 7, "windowDurationMins": odd, "resetsAt": odd });
            check(told, Some(plan(7, None, None)));
        }
        for limits in [json!(null), json!([]), json!("x"), json!({ "limitId": 7 })] {
            assert_eq!(read(&limits), [None; 2], "{limits}");
        }
    }
}
