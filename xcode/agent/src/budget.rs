//! The limits of a turn, and a session's use of tokens and money.

use contract::xc::TokenUsage;
use llm::{Catalogue, ModelId, Usage};

/// The limits of a turn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnLimits {
    /// The most model calls for one prompt.
    pub max_steps: u32,
    /// The most that the session may cost, in US dollars, by estimate.
    pub max_cost_usd: Option<f64>,
    /// The share of the context window at which the conversation is compacted; 0 for never.
    pub compaction_threshold: f64,
    /// The share of the window that the newest steps keep in a compaction.
    pub keep_share: f64,
}

impl TurnLimits {
    /// 100 steps, no cost limit, compaction at 80 % of the window that keeps 30 % of it.
    pub const USUAL: Self =
        Self { max_steps: 100, max_cost_usd: None, compaction_threshold: 0.8, keep_share: 0.3 };
}

/// The use of model calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spent {
    /// All tokens.
    pub(crate) usage: TokenUsage,
    /// US dollars, estimated; none once the price of one call is not known.
    pub(crate) cost_usd: Option<f64>,
    /// The part of the cost that is known, in US dollars.
    pub(crate) known_usd: f64,
}

impl Spent {
    /// No use yet.
    pub(crate) const NOTHING: Self = Self {
        usage: TokenUsage { input: 0, cached: 0, output: 0 },
        cost_usd: Some(0.0),
        known_usd: 0.0,
    };

    /// The use so far of a resumed session.
    pub(crate) fn before(usage: TokenUsage, cost_usd: Option<f64>) -> Self {
        Self { usage, cost_usd, known_usd: cost_usd.unwrap_or(0.0) }
    }

    /// Adds one model call.
    pub(crate) fn add(&mut self, usage: TokenUsage, cost_usd: Option<f64>) {
        self.usage.input += usage.input;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
        self.known_usd += cost_usd.unwrap_or(0.0);
        self.cost_usd = self.cost_usd.zip(cost_usd).map(|(sum, cost)| sum + cost);
    }
}

/// `usage` in the form of events and journals.
pub(crate) const fn told(usage: &Usage) -> TokenUsage {
    TokenUsage { input: usage.input, cached: usage.cached, output: usage.output }
}

/// The cost of a request to `model` with this usage by the catalogue; none if the price is not known.
pub(crate) fn cost(model: &ModelId, usage: &Usage) -> Option<f64> {
    Some(Catalogue::built_in().price(model)?.cost(usage))
}

/// The lowest cost of a request of so many tokens: all of them cached, no answer.
pub(crate) fn least_cost(model: &ModelId, tokens: u64) -> f64 {
    let usage = Usage { input: tokens, cached: tokens, ..Usage::default() };
    cost(model, &usage).unwrap_or(0.0)
}

/// A share of a window, in tokens.
pub(crate) fn share(window: u64, part: f64) -> u64 {
    // Windows are below 2^32 tokens, so the product is exact enough and fits.
    let window = u32::try_from(window).unwrap_or(u32::MAX);
    (f64::from(window) * part.clamp(0.0, 1.0)) as u64
}

#[cfg(test)]
mod tests {
    use contract::xc::TokenUsage;
    use llm::Usage;

    use super::{Spent, cost, least_cost};

    #[test]
    fn a_cost_that_is_not_known_is_not_nothing() {
        let sonnet = "anthropic:claude-sonnet-4-5".parse().unwrap();
        let custom = "custom:foo".parse().unwrap();
        let usage = Usage { input: 1_000_000, output: 100_000, ..Usage::default() };
        let mut spent = Spent::NOTHING;
        for (model, sum) in
            [(&sonnet, Some(4.5)), (&sonnet, Some(9.0)), (&custom, None), (&sonnet, None)]
        {
            let one = TokenUsage { input: 10, cached: 4, output: 1 };
            // The catalogue has no separate price for long requests to sonnet.
            spent.add(one, cost(model, &usage));
            assert_eq!(spent.cost_usd, sum);
        }
        assert_eq!(spent.known_usd, 13.5, "what is known counts against a limit");
        assert_eq!(spent.usage, TokenUsage { input: 40, cached: 16, output: 4 });
        assert_eq!(least_cost(&custom, 1_000), 0.0);
        assert!(least_cost(&sonnet, 1_000_000) < 0.5);
    }
}
