//! How much of the account's plan is used, as Codex's app-server tells it in `account/rateLimits/updated`
//! (codex 0.169; `codex exec` tells nothing of it). Three numbers of a window are read. Names of plans and
//! limits, credits and whatever else comes with them are not.

use serde_json::Value;

/// The limit that is the plan's, as Codex calls it. A model may have a limit of its own, under another name.
const PLAN: &str = "codex";

/// Largest share that is believed, in per cent: a window may be overdrawn, but not like that.
const PERCENT_MAX: u64 = 1_000;

/// Longest window that is believed, in minutes: a leap year.
const MINUTES_MAX: u64 = 366 * 24 * 60;

/// Latest time that is believed, in seconds since 1970: the year 9999 begins.
const RESETS_AT_MAX_S: i64 = 253_370_764_800;

/// A window of the plan, as Codex told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanWindow {
    /// How much of it is used, in per cent: 100 at most, also where it is overdrawn.
    pub used_percent: u8,
    /// How long it is.
    pub minutes: Option<u64>,
    /// When it begins anew, in seconds since 1970.
    pub resets_at_s: Option<i64>,
}

/// The primary and the secondary window that `rateLimits` tells of. What is no plausible number is as if it
/// were not there.
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
