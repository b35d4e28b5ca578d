//! `/window/usage`: runs and failures, tokens, spend and waiting times by day.

use askama::Template;
use jiff::civil::Date;

use super::chart::Chart;
use super::shell::{Place, Shell, render};
use crate::figure::{UNKNOWN, count, money, short_count};
use crate::frame::Frame;
use crate::words::Words;

/// `/window/usage`.
#[derive(Debug, Clone)]
pub struct Usage {
    /// How many days are shown; one of [`Usage::DAYS`].
    pub days: u16,
    /// All these days, oldest first, including those without a run.
    pub per_day: Vec<Day>,
    /// Waiting times of the runs of these days.
    pub latency: Vec<Latency>,
    /// The cost of the tokens.
    pub spend: Spend,
    /// The windows of the plan, as Codex last reported them; empty if it reported none.
    pub plan: Vec<PlanWindow>,
}

/// One day, UTC.
#[derive(Debug, Clone)]
pub struct Day {
    /// The date.
    pub date: Date,
    /// Runs that ended with an answer.
    pub succeeded: u64,
    /// Runs that failed because the request was wrong.
    pub input_errors: u64,
    /// Runs that failed because the bridge or its environment was broken, including interrupted ones.
    pub bridge_failures: u64,
    /// Runs that failed because the model or its provider did.
    pub codex_failures: u64,
    /// Runs that the caller cancelled.
    pub cancelled: u64,
    /// Tokens of these runs; `None` if no run reported any.
    pub tokens: Option<contract::advice::Usage>,
}

/// Percentiles of a duration, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Latency {
    /// The stage.
    pub stage: Stage,
    /// The number of runs for which it is known.
    pub count: u64,
    /// The median.
    pub p50_ms: Option<u64>,
    /// The 90th percentile.
    pub p90_ms: Option<u64>,
    /// The 99th percentile.
    pub p99_ms: Option<u64>,
}

/// A stage of a run that the caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// From acceptance to a free worker.
    Queue,
    /// From acceptance to the model's first event.
    FirstEvent,
    /// From acceptance to the end.
    Whole,
}

/// The cost of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spend {
    /// No price is configured.
    NoPrice,
    /// Prices are configured.
    Priced {
        /// One for each currency.
        amounts: Vec<Amount>,
        /// Models without a price, whose tokens are not in the amounts.
        unpriced: Vec<String>,
    },
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// As configured, such as `USD`.
    pub currency: String,
    /// Millionths of the currency's unit.
    pub millionths: u64,
}

/// A window of the plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanWindow {
    /// Its length in minutes; `None` if Codex did not report it.
    pub minutes: Option<u64>,
    /// How much of it is used, in per cent.
    pub used_percent: u8,
    /// When it is reset.
    pub resets_ms: Option<i64>,
    /// When Codex reported this.
    pub reported_ms: i64,
}

#[derive(Template)]
#[template(path = "usage.html")]
struct Page<'a> {
    shell: Shell<'a>,
    view: &'a Usage,
    /// Names and values.
    tiles: Vec<(&'static str, String)>,
    charts: [Chart; 2],
}

impl Usage {
    /// The numbers of days that can be selected; the second is the default.
    pub const DAYS: [u16; 3] = [7, 30, 90];

    /// The page.
    #[must_use]
    pub fn html(&self, frame: &Frame<'_>) -> String {
        let shell = Shell::new(frame, Place::Usage);
        let charts = [self.runs_chart(shell.w), self.tokens_chart(shell.w)];
        render(&Page { tiles: self.tiles(shell.w), charts, view: self, shell })
    }

    fn tiles(&self, w: &Words) -> Vec<(&'static str, String)> {
        let sum = |of: fn(&Day) -> u64| self.per_day.iter().map(of).sum::<u64>();
        let days = self.per_day.iter().filter_map(|day| day.tokens);
        let tokens = days.reduce(contract::advice::Usage::plus);
        let tokens_of = |of: fn(&contract::advice::Usage) -> u64| {
            tokens.as_ref().map_or_else(|| UNKNOWN.to_owned(), |tokens| short_count(of(tokens)))
        };
        let spend = match &self.spend {
            Spend::NoPrice => w.tokens_only.to_owned(),
            Spend::Priced { amounts, .. } if amounts.is_empty() => UNKNOWN.to_owned(),
            Spend::Priced { amounts, .. } => {
                let each = amounts
                    .iter()
                    .map(|amount| format!("{} {}", money(amount.millionths), amount.currency));
                each.collect::<Vec<_>>().join(" + ")
            }
        };
        vec![
            (w.runs_total, count(&sum(Day::runs))),
            (w.failures_total, count(&sum(Day::failures))),
            (w.tokens_in, tokens_of(|tokens| tokens.input_tokens)),
            (w.tokens_out, tokens_of(|tokens| tokens.output_tokens)),
            (w.spend, spend),
        ]
    }

    fn runs_chart(&self, w: &'static Words) -> Chart {
        let series = vec![
            ("s-ok", w.succeeded),
            ("s-off", w.cancelled),
            ("s-codex", w.codex_failures),
            ("s-bridge", w.bridge_failures),
            ("s-input", w.input_errors),
        ];
        let values = |day: &Day| {
            let of = [
                day.succeeded,
                day.cancelled,
                day.codex_failures,
                day.bridge_failures,
                day.input_errors,
            ];
            of.map(Some).to_vec()
        };
        let days = self.per_day.iter().map(|day| (day.date, values(day))).collect();
        Chart::new("runs", w.per_day_runs, w, series, days)
    }

    fn tokens_chart(&self, w: &'static Words) -> Chart {
        let series = vec![("s-ok", w.sent_anew), ("s-off", w.from_cache), ("s-out", w.received)];
        let values = |day: &Day| match day.tokens {
            None => vec![None; 3],
            Some(tokens) => {
                let anew = tokens.input_tokens.saturating_sub(tokens.cached_input_tokens);
                vec![Some(anew), Some(tokens.cached_input_tokens), Some(tokens.output_tokens)]
            }
        };
        let days = self.per_day.iter().map(|day| (day.date, values(day))).collect();
        Chart::new("tokens", w.per_day_tokens, w, series, days)
    }
}

impl Day {
    fn failures(&self) -> u64 {
        self.input_errors + self.bridge_failures + self.codex_failures
    }

    fn runs(&self) -> u64 {
        self.succeeded + self.cancelled + self.failures()
    }
}
