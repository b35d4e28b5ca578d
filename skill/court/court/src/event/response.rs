//! Merges the responses of the court's modules to one call. The strictest
//! decision applies; texts are concatenated.

use claude_hooks::answer::{CONTEXT_MAX, Informed};
use claude_hooks::{Answer, Context, Event};
use serde_json::{Map, Value};

use super::responder;

/// The collected responses.
#[derive(Debug, Default)]
pub struct ResponseBuilder {
    decision: Option<Decision>,
    contexts: Vec<String>,
    reasons: Vec<String>,
    input: Option<Map<String, Value>>,
    messages: Vec<String>,
}

/// A decision about a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The user decides.
    Ask(String),
    /// The call is denied.
    Deny(String),
}

impl ResponseBuilder {
    /// Denies the call, or has the user decide. A denial takes precedence over a question, and the first of two
    /// over the second.
    pub fn decide(&mut self, decision: Decision) {
        let graver = matches!(
            (&self.decision, &decision),
            (None, _) | (Some(Decision::Ask(_)), Decision::Deny(_))
        );
        if graver {
            // The remaining work may take until the deadline.
            if let Decision::Deny(reason) = &decision {
                responder::denied(reason);
            }
            self.decision = Some(decision);
        }
    }

    /// Adds a text for the model. It must be sanitized (see [`crate::fence`]).
    pub fn context(&mut self, text: String) {
        self.contexts.push(text);
    }

    /// Keeps the agent from stopping. The reason must be sanitized.
    pub fn keep_going(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    /// Replaces the tool's whole input.
    pub fn replace_input(&mut self, input: Map<String, Value>) {
        self.input = Some(input);
    }

    /// Adds a message for the user, without repeats.
    pub fn message(&mut self, text: String) {
        if !self.messages.contains(&text) {
            self.messages.push(text);
        }
    }

    /// The decision so far.
    pub fn decision(&self) -> Option<&Decision> {
        self.decision.as_ref()
    }

    /// Whether the agent is kept from stopping.
    pub fn keeps_going(&self) -> bool {
        !self.reasons.is_empty()
    }

    /// Merges everything into the hook's response.
    pub fn into_answer(self, event: &Event) -> Answer {
        let context = || Context::fit(&self.contexts.join("\n\n"), CONTEXT_MAX).0;
        let answer = match event {
            Event::PreToolUse(_) => match (self.decision, self.input) {
                (Some(Decision::Deny(reason)), _) => Answer::deny(&reason),
                (Some(Decision::Ask(reason)), _) => Answer::ask(&reason),
                (None, Some(input)) => Answer::replace_input(input),
                (None, None) => Answer::context(Informed::PreToolUse, &context()),
            },
            Event::Stop(_) | Event::SubagentStop { .. } if !self.reasons.is_empty() => {
                Answer::keep_going(&self.reasons.join("\n\n"))
            }
            event => match informed(event) {
                Some(informed) => Answer::context(informed, &context()),
                None => Answer::silent(),
            },
        };
        let said: Vec<String> = self.messages.iter().map(|text| format!("court: {text}")).collect();
        answer.with_message(&said.join("\n"))
    }
}

/// The events whose response can contain text for the model without making it continue.
fn informed(event: &Event) -> Option<Informed> {
    Some(match event {
        Event::SessionStart(_) => Informed::SessionStart,
        Event::UserPromptSubmit { .. } => Informed::UserPromptSubmit,
        Event::PreToolUse(_) => Informed::PreToolUse,
        Event::PostToolUse { .. } => Informed::PostToolUse,
        Event::PostToolUseFailure { .. } => Informed::PostToolUseFailure,
        Event::SubagentStart => Informed::SubagentStart,
        // Text there would continue the turn; `keep_going` is for that.
        Event::Stop(_)
        | Event::SubagentStop { .. }
        | Event::StopFailure { .. }
        | Event::SessionEnd { .. }
        | Event::PreCompact { .. }
        | Event::Other(_) => return None,
    })
}
