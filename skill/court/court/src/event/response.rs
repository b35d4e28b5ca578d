//! What the rooms of the court have to say about one call, gathered into one answer. The gravest
//! decision holds; texts are put one after another.

use claude_hooks::answer::{CONTEXT_MAX, Informed};
use claude_hooks::{Answer, Context, Event};
use serde_json::{Map, Value};

use super::responder;

/// What is said.
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
    /// It does not run.
    Deny(String),
}

impl ResponseBuilder {
    /// Refuses the call, or has the user decide. A denial goes before a question, the first of two
    /// before the second.
    pub fn decide(&mut self, decision: Decision) {
        let graver = matches!(
            (&self.decision, &decision),
            (None, _) | (Some(Decision::Ask(_)), Decision::Deny(_))
        );
        if graver {
            // What is still to be written may take until the deadline.
            if let Decision::Deny(reason) = &decision {
                responder::denied(reason);
            }
            self.decision = Some(decision);
        }
    }

    /// Puts a text before the model. It must be sanitize (see [`crate::fence`]).
    pub fn context(&mut self, text: String) {
        self.contexts.push(text);
    }

    /// Keeps the agent from stopping. The reason must be sanitize.
    pub fn keep_going(&mut self, reason: String) {
        self.reasons.push(reason);
    }

    /// Replaces the tool's whole input.
    pub fn replace_input(&mut self, input: Map<String, Value>) {
        self.input = Some(input);
    }

    /// Tells the user something. The same words are said once.
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

    /// Joins what the parts of the court said into the one answer of the hook.
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

/// The events whose answer may inform the model without making it go on.
fn informed(event: &Event) -> Option<Informed> {
    Some(match event {
        Event::SessionStart(_) => Informed::SessionStart,
        Event::UserPromptSubmit { .. } => Informed::UserPromptSubmit,
        Event::PreToolUse(_) => Informed::PreToolUse,
        Event::PostToolUse { .. } => Informed::PostToolUse,
        Event::PostToolUseFailure { .. } => Informed::PostToolUseFailure,
        Event::SubagentStart => Informed::SubagentStart,
        // A context there would keep the turn going: that is what `keep_going` is for.
        Event::Stop(_)
        | Event::SubagentStop { .. }
        | Event::StopFailure { .. }
        | Event::SessionEnd { .. }
        | Event::PreCompact { .. }
        | Event::Other(_) => return None,
    })
}
