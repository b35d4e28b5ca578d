//! The answer of a hook: nothing, or exactly one JSON object that the client accepts.
//!
//! Each constructor makes an answer that the client obeys for its event (measured with the client 2.1.197). An
//! answer is always printed with exit code 0.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

/// The longest context that the client passes to the model, in UTF-16 code units. Of a longer text the model
/// sees the first 2 KB and the path of a file.
pub const CONTEXT_MAX: usize = 10_000;

/// Reserved keys at the top level of an answer. A report in the same object must not use them.
pub const RESERVED: [&str; 9] = [
    "async",
    "continue",
    "decision",
    "hookSpecificOutput",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "terminalSequence",
];

/// A text for the model that the client passes unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context(String);

impl Context {
    /// Takes as many whole lines as fit into `max` UTF-16 code units, and at most [`CONTEXT_MAX`];
    /// the flag tells whether some were left out. A first line that does not fit is cut.
    pub fn fit(text: &str, max: usize) -> (Self, bool) {
        let (fitted, is_cut) = fence::fit(text, max.min(CONTEXT_MAX));
        (Self(fitted.to_owned()), is_cut)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Events whose answer may contain a text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Informed {
    /// At the beginning of the session.
    SessionStart,
    /// With the prompt.
    UserPromptSubmit,
    /// After the tool's result, also when the tool was denied.
    PreToolUse,
    /// After the tool's result.
    PostToolUse,
    /// After the tool's error.
    PostToolUseFailure,
    /// To the sub-agent.
    SubagentStart,
    /// The turn continues with it.
    Stop,
    /// The sub-agent's turn continues with it.
    SubagentStop,
}

impl Informed {
    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::SubagentStart => "SubagentStart",
            Self::Stop => "Stop",
            Self::SubagentStop => "SubagentStop",
        }
    }
}

/// The answer of a hook.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    top: Map<String, Value>,
    specific: Map<String, Value>,
}

impl Answer {
    /// No objection and no addition: the client's own rules apply.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Passes a text to the model. An empty one is left out.
    pub fn context(event: Informed, context: &Context) -> Self {
        if context.0.is_empty() {
            return Self::silent();
        }
        let mut answer = Self::specific(event);
        answer.specific.insert("additionalContext".to_owned(), json!(context.0));
        answer
    }

    /// Denies a tool call, in every permission mode. The model gets the exact reason.
    pub fn deny(reason: &str) -> Self {
        Self::permission("deny", reason)
    }

    /// Lets the user decide about a tool call. Without a user, the client denies it.
    pub fn ask(reason: &str) -> Self {
        Self::permission("ask", reason)
    }

    /// Replaces a tool's whole input; the client validates it against the tool's schema, and its own
    /// rules apply to the new input.
    pub fn replace_input(input: Map<String, Value>) -> Self {
        let mut answer = Self::specific(Informed::PreToolUse);
        answer.specific.insert("updatedInput".to_owned(), Value::Object(input));
        answer
    }

    /// Keeps the main agent or a sub-agent from stopping; it continues with the reason. The client
    /// ignores this the ninth time in a row.
    pub fn keep_going(reason: &str) -> Self {
        let mut answer = Self::default();
        answer.top.insert("decision".to_owned(), json!("block"));
        answer.top.insert("reason".to_owned(), json!(reason));
        answer
    }

    /// Adds a text that the user sees and the model does not.
    #[must_use]
    pub fn with_message(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.top.insert("systemMessage".to_owned(), json!(text));
        }
        self
    }

    /// Adds the keys of a report, which the client ignores, so that one object serves both. Reserved
    /// keys are left out.
    #[must_use]
    pub fn beside(mut self, report: Map<String, Value>) -> Self {
        let free = |key: &String| !RESERVED.contains(&key.as_str());
        self.top.extend(report.into_iter().filter(|(key, _)| free(key)));
        self
    }

    /// Whether the answer is empty.
    pub fn is_silent(&self) -> bool {
        self.top.is_empty() && self.specific.is_empty()
    }

    /// Writes the object, or nothing.
    ///
    /// # Errors
    /// If the output cannot be written; the client then acts as without the hook.
    pub fn write(&self, output: &mut impl Write) -> io::Result<()> {
        if self.is_silent() {
            return Ok(());
        }
        let mut object = self.top.clone();
        if !self.specific.is_empty() {
            let specific = Value::Object(self.specific.clone());
            object.insert("hookSpecificOutput".to_owned(), specific);
        }
        let mut line = serde_json::to_vec(&shown(Value::Object(object)))?;
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()
    }

    fn specific(event: Informed) -> Self {
        let mut answer = Self::default();
        answer.specific.insert("hookEventName".to_owned(), json!(event.name()));
        answer
    }

    fn permission(decision: &str, reason: &str) -> Self {
        let mut answer = Self::specific(Informed::PreToolUse);
        answer.specific.insert("permissionDecision".to_owned(), json!(decision));
        answer.specific.insert("permissionDecisionReason".to_owned(), json!(reason));
        answer
    }
}

/// Keys whose values replace a tool's own input or output and are passed unchanged; everything else is shown to
/// people and models, and contains no control characters.
const HANDED_ON: &[&str] = &["updatedInput", "updatedMCPToolOutput", "updatedPermissions"];

fn shown(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact::visible(&text).into_owned()),
        Value::Array(items) => Value::Array(items.into_iter().map(shown).collect()),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| {
                let value = if HANDED_ON.contains(&key.as_str()) { value } else { shown(value) };
                (redact::visible(&key).into_owned(), value)
            })
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests;
