//! Costs by day: runs and failures, tokens, waiting times; and the usage of the plan.

use std::collections::{BTreeMap, BTreeSet};

use contract::advice::Usage as Tokens;
use contract::failure::{Failure, FailureKind};
use contract::run::RunState;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use window::view::{Amount, Day, Latency, PlanWindow, Spend, Stage, Usage};

use super::row::shown_kind;
use crate::config::Price;
use crate::service::Service;
use crate::store::record::UsageRow;
use crate::token::Rights;

/// Collects the last `days` days, including today.
///
/// # Errors
/// `store_failed`, `overloaded`.
pub async fn gather(
    service: &Service,
    prices: &[Price],
    days: u16,
    now: Timestamp,
    rights: Rights,
) -> Result<Usage, Failure> {
    let today = day_of(now.as_millisecond());
    let mut per_day: Vec<Day> = (0..i64::from(days))
        .rev()
        .filter_map(|back| today.checked_sub(jiff::Span::new().days(back)).ok())
        .map(empty)
        .collect();
    let begin = per_day.first().and_then(|day| day.date.to_zoned(TimeZone::UTC).ok());
    let from_ms = begin.map_or(0, |begin| begin.timestamp().as_millisecond());
    let costs = service.costs(shown_kind(rights), from_ms).await?;
    for cost in &costs {
        let date = day_of(cost.created_ms);
        if let Some(day) = per_day.iter_mut().find(|day| day.date == date) {
            add(day, cost);
        }
    }
    let stages = [
        (Stage::Queue, costs.iter().filter_map(|cost| cost.queue_ms).collect()),
        (Stage::FirstEvent, costs.iter().filter_map(|cost| cost.first_event_ms).collect()),
        (Stage::Whole, costs.iter().filter_map(|cost| cost.duration_ms).collect()),
    ];
    let latency = stages.into_iter().map(|(stage, times)| latency(stage, times)).collect();
    let plan = service.plan(now).into_iter().map(|(window, told)| PlanWindow {
        minutes: window.minutes,
        used_percent: window.used_percent,
        resets_ms: window.resets_at_s.map(|at| at.saturating_mul(1_000)),
        reported_ms: told.as_millisecond(),
    });
    let (spend, plan) = (spend(&costs, prices), plan.collect());
    Ok(Usage { days, per_day, latency, spend, plan })
}

fn empty(date: Date) -> Day {
    Day {
        date,
        succeeded: 0,
        input_errors: 0,
        bridge_failures: 0,
        codex_failures: 0,
        cancelled: 0,
        tokens: None,
    }
}

fn day_of(ms: i64) -> Date {
    let at = Timestamp::from_millisecond(ms).unwrap_or_default();
    at.to_zoned(TimeZone::UTC).date()
}

fn add(day: &mut Day, cost: &UsageRow) {
    let count = match (cost.state, cost.code.map(|code| code.kind())) {
        (RunState::Cancelled, _) => &mut day.cancelled,
        (RunState::Failed | RunState::Interrupted, Some(FailureKind::InputError)) => {
            &mut day.input_errors
        }
        (RunState::Failed | RunState::Interrupted, Some(FailureKind::CodexFailure)) => {
            &mut day.codex_failures
        }
        (RunState::Failed | RunState::Interrupted, _) => &mut day.bridge_failures,
        _ => &mut day.succeeded,
    };
    *count += 1;
    if let Some(tokens) = cost.usage {
        day.tokens = Some(day.tokens.map_or(tokens, |sum: Tokens| sum.plus(tokens)));
    }
}

/// The cost of the runs at these prices. Runs of a model without a price are not included.
fn spend(costs: &[UsageRow], prices: &[Price]) -> Spend {
    if prices.is_empty() {
        return Spend::NoPrice;
    }
    let mut sums: BTreeMap<&str, u128> = BTreeMap::new();
    let mut unpriced: BTreeSet<&str> = BTreeSet::new();
    for cost in costs {
        let Some(tokens) = cost.usage else { continue };
        let model = cost.model.as_deref().unwrap_or(UNKNOWN_MODEL);
        match prices.iter().find(|price| price.model == model) {
            Some(price) => *sums.entry(&price.currency).or_default() += cost_of(tokens, price),
            None => drop(unpriced.insert(model)),
        }
    }
    let amount = |(currency, sum): (&str, u128)| Amount {
        currency: currency.to_owned(),
        millionths: u64::try_from(sum / 1_000_000).unwrap_or(u64::MAX),
    };
    Spend::Priced {
        amounts: sums.into_iter().map(amount).collect(),
        unpriced: unpriced.into_iter().map(str::to_owned).collect(),
    }
}

/// Name shown for a run without a chosen model.
const UNKNOWN_MODEL: &str = "\u{2013}";

/// Cost of tokens, in millionths of a millionth of the currency's unit.
fn cost_of(tokens: Tokens, price: &Price) -> u128 {
    let times = |count: u64, price: u64| u128::from(count) * u128::from(price);
    times(tokens.input_tokens.saturating_sub(tokens.cached_input_tokens), price.input)
        + times(tokens.cached_input_tokens, price.cached)
        + times(tokens.output_tokens, price.output)
}

fn latency(stage: Stage, mut times: Vec<u64>) -> Latency {
    times.sort_unstable();
    // The smallest time that this percentage of runs did not exceed.
    let percentile = |hundredths: usize| {
        let rank = (times.len() * hundredths).div_ceil(100);
        times.get(rank.checked_sub(1)?).copied()
    };
    Latency {
        stage,
        count: u64::try_from(times.len()).unwrap_or(u64::MAX),
        p50_ms: percentile(50),
        p90_ms: percentile(90),
        p99_ms: percentile(99),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_of_runs() {
        let check = |times: Vec<u64>, expected: [Option<u64>; 3]| {
            let Latency { p50_ms, p90_ms, p99_ms, .. } = latency(Stage::Whole, times.clone());
            assert_eq!([p50_ms, p90_ms, p99_ms], expected, "{times:?}");
        };
        check(vec![], [None; 3]);
        check(vec![7], [Some(7); 3]);
        check(vec![9, 1], [Some(1), Some(9), Some(9)]);
        check((1..=10).rev().collect(), [Some(5), Some(9), Some(10)]);
        check((1..=1000).collect(), [Some(500), Some(900), Some(990)]);
    }

    #[test]
    fn spend_is_exact_and_says_which_models_have_no_price() {
        let cost =
            |model: Option<&str>, input_tokens, cached_input_tokens, output_tokens| UsageRow {
                created_ms: 0,
                state: RunState::Succeeded,
                code: None,
                model: model.map(str::to_owned),
                duration_ms: None,
                queue_ms: None,
                first_event_ms: None,
                usage: Some(Tokens {
                    input_tokens,
                    cached_input_tokens,
                    output_tokens,
                    reasoning_output_tokens: 1,
                }),
            };
        let price = |model: &str, currency: &str| Price {
            model: model.to_owned(),
            input: 1_250_000,
            cached: 125_000,
            output: 10_000_000,
            currency: currency.to_owned(),
        };
        let costs = [
            cost(Some("a"), 1_000_000, 200_000, 100_000),
            cost(Some("a"), 0, 0, 1),
            cost(Some("b"), 8, 0, 0),
            cost(Some("c"), 1, 1, 1),
            cost(None, 1, 1, 1),
        ];
        assert_eq!(spend(&costs, &[]), Spend::NoPrice);
        let amount =
            |currency: &str, millionths| Amount { currency: currency.to_owned(), millionths };
        assert_eq!(
            spend(&costs, &[price("b", "USD"), price("a", "EUR")]),
            Spend::Priced {
                amounts: vec![amount("EUR", 2_025_010), amount("USD", 10)],
                unpriced: vec!["c".to_owned(), "\u{2013}".to_owned()],
            }
        );
    }

    #[test]
    fn a_run_counts_once_by_who_has_to_act() {
        use contract::failure::FailureCode as Code;
        let check = |state, code, expected: [u64; 5]| {
            let mut day = empty(Date::constant(2026, 11, 23));
            let usage = Some(Tokens { input_tokens: 3, ..Tokens::default() });
            let cost = UsageRow {
                created_ms: 0,
                state,
                code,
                model: None,
                duration_ms: None,
                queue_ms: None,
                first_event_ms: None,
                usage,
            };
            add(&mut day, &cost);
            let Day { succeeded, input_errors, bridge_failures, codex_failures, cancelled, .. } =
                day;
            let counts = [succeeded, input_errors, bridge_failures, codex_failures, cancelled];
            assert_eq!((counts, day.tokens), (expected, usage), "{state:?} {code:?}");
        };
        check(RunState::Succeeded, None, [1, 0, 0, 0, 0]);
        check(RunState::Failed, Some(Code::ContractViolation), [0, 1, 0, 0, 0]);
        check(RunState::Failed, Some(Code::CodexNotFound), [0, 0, 1, 0, 0]);
        check(RunState::Interrupted, Some(Code::Interrupted), [0, 0, 1, 0, 0]);
        check(RunState::Failed, Some(Code::Quota), [0, 0, 0, 1, 0]);
        check(RunState::Cancelled, Some(Code::Cancelled), [0, 0, 0, 0, 1]);
    }
}
