//! The cost of reviews in this project, as far as the client's transcripts of its sub-agents show it. Not here: what
//! the main agent itself used to respond to the court.

use serde_json::{Value, json};

use super::context::CliContext;
use crate::historian;
use crate::records::{SessionState, Tokens};
use crate::store::StoreError;

/// The cost of all recorded reviews.
pub(super) struct Cost {
    /// How often a review was requested at the end of a turn.
    asked: u64,
    /// Number of historians that ended.
    sub_agents: usize,
    /// Number of those without recorded tokens.
    unknown: usize,
    /// Tokens of the others.
    tokens: Tokens,
}

impl Cost {
    /// Sums up the nodes.
    pub(super) fn of(desk: &CliContext) -> Result<Self, StoreError> {
        let asked = desk.store.read::<SessionState>()?.historian.asked;
        let mut cost = Self { asked, sub_agents: 0, unknown: 0, tokens: Tokens::default() };
        let nodes = desk.store.nodes()?;
        for node in nodes.iter().filter(|node| historian::is_review(&desk.resolved.config, node)) {
            cost.sub_agents += 1;
            match node.metrics.tokens {
                Some(tokens) => cost.tokens = cost.tokens.plus(tokens),
                None => cost.unknown += 1,
            }
        }
        Ok(cost)
    }

    /// When reviews are requested, and their cost, in one line.
    pub(super) fn line(&self, desk: &CliContext) -> String {
        let config = &desk.resolved.config;
        let Tokens { input, cached_input, output } = self.tokens;
        let unknown = match self.unknown {
            0 => String::new(),
            count => format!("; {count} without a record"),
        };
        format!(
            "{} (claude -p: {}); asked {} times; {} historians: {input} tokens in ({cached_input} cached), {output} \
             out{unknown}",
            config.review.word(),
            config.print_review.word(),
            self.asked,
            self.sub_agents,
        )
    }

    /// The same as JSON.
    pub(super) fn json(&self, desk: &CliContext) -> Value {
        let config = &desk.resolved.config;
        json!({
            "when": config.review.word(),
            "when_printing": config.print_review.word(),
            "asked": self.asked,
            "sub_agents": self.sub_agents,
            "without_record": self.unknown,
            "tokens": self.tokens,
        })
    }
}
