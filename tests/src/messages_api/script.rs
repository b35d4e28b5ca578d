//! The scripted responses of the model.

use std::fmt;

use mock_model::{Turn, Usage};
use serde_json::Value;

use super::request::{Agent, Request};

type Condition = Box<dyn Fn(&Request) -> bool + Send + Sync>;
type Answer = Box<dyn Fn(&Request) -> Reply + Send + Sync>;

/// A list of rules; the first that applies answers.
#[derive(Default)]
pub struct Script {
    rules: Vec<(Condition, Answer)>,
    main_turns: usize,
    sub_turns: usize,
}

/// The response to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub(super) turn: Turn,
}

impl Script {
    /// A script without rules: it refuses everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The main agent's next turn.
    #[must_use]
    pub fn main(mut self, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let turn = self.main_turns;
        self.main_turns += 1;
        self.when(move |request| request.agent == Agent::Main && request.turn() == turn, answer)
    }

    /// The next turn of every sub-agent: each of them gets it when it reaches that turn. To distinguish them,
    /// examine the request, or use [`Script::when`].
    #[must_use]
    pub fn sub_agent(mut self, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let turn = self.sub_turns;
        self.sub_turns += 1;
        self.when(
            move |request| matches!(request.agent, Agent::Sub(_)) && request.turn() == turn,
            answer,
        )
    }

    /// A rule of any other kind. Rules are tried in the order in which they were added.
    #[must_use]
    pub fn when(
        mut self,
        condition: impl Fn(&Request) -> bool + Send + Sync + 'static,
        answer: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        self.rules.push((Box::new(condition), Box::new(answer)));
        self
    }

    /// The reply to this request, if a rule applies.
    pub(super) fn reply(&self, request: &Request) -> Option<Reply> {
        let rule = self.rules.iter().find(|(condition, _)| condition(request));
        rule.map(|(_, answer)| answer(request))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Script({} rules)", self.rules.len())
    }
}

impl Reply {
    /// A text, which ends the turn.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::silent().and_text(text)
    }

    /// A tool call.
    #[must_use]
    pub fn tool(name: &str, input: Value) -> Self {
        Self::silent().and_tool(name, input)
    }

    /// The same reply with a text after it.
    #[must_use]
    pub fn and_text(self, text: impl Into<String>) -> Self {
        Self { turn: self.turn.and_text(text) }
    }

    /// The same reply with a tool call after it; several calls run concurrently.
    #[must_use]
    pub fn and_tool(self, name: &str, input: Value) -> Self {
        Self { turn: self.turn.and_call(name, &input) }
    }

    /// An empty reply, with no cached tokens.
    fn silent() -> Self {
        let usage = Usage {
            input_tokens: 100,
            cached_input_tokens: 0,
            output_tokens: 20,
            reasoning_tokens: 0,
        };
        Self { turn: Turn::empty().costing(usage) }
    }
}
