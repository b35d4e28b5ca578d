//! Server-sent events: what each protocol passes to the delivery.

use std::time::Duration;

use serde_json::{Value, json};

/// One event in its wire form, with the empty line behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// How long to wait before it.
    pub pause: Duration,
    /// The text of the event.
    pub text: String,
}

/// A complete answer as events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// In the order in which they are sent.
    pub list: Vec<Event>,
    /// How many come before the first of those that end the answer.
    pub before_end: usize,
}

impl Events {
    /// Adds an event with a name, which is also in the data (`messages`, `responses`).
    pub(crate) fn named(&mut self, pause: Duration, kind: &str, data: Value) {
        self.push(pause, named(kind, data));
    }

    /// Adds an event without a name (`chat`, `gemini`).
    pub(crate) fn data(&mut self, pause: Duration, data: &Value) {
        self.push(pause, format!("data: {data}\n\n"));
    }

    /// Adds a comment, which is not an event.
    pub(crate) fn comment(&mut self, pause: Duration) {
        self.push(pause, ": keep-alive\n\n".to_owned());
    }

    /// Adds this exact text.
    pub(crate) fn push(&mut self, pause: Duration, text: String) {
        self.list.push(Event { pause, text });
    }

    /// Marks the following events as those that end the answer.
    pub(crate) fn end_begins(&mut self) {
        self.before_end = self.list.len();
    }

    /// The text of all events.
    #[must_use]
    pub fn text(&self) -> String {
        self.list.iter().map(|event| event.text.as_str()).collect()
    }
}

/// One named event; the type is in both places, as the providers send it.
pub(crate) fn named(kind: &str, mut data: Value) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}
