//! Server-sent events in the making: what each protocol hands to the delivery.

use std::time::Duration;

use serde_json::{Value, json};

/// One event as it goes over the wire, with the empty line behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// How long to wait before it.
    pub pause: Duration,
    /// The text of the event.
    pub text: String,
}

/// A whole answer as events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Events {
    /// In the order in which they are sent.
    pub list: Vec<Event>,
    /// How many come before the first of those that say that the answer is whole.
    pub before_end: usize,
}

impl Events {
    /// An event with a name, which stands in the data as well (`messages`, `responses`).
    pub(crate) fn named(&mut self, pause: Duration, kind: &str, data: Value) {
        self.push(pause, named(kind, data));
    }

    /// An event of data alone (`chat`, `gemini`).
    pub(crate) fn data(&mut self, pause: Duration, data: &Value) {
        self.push(pause, format!("data: {data}\n\n"));
    }

    /// A comment, which is no event.
    pub(crate) fn comment(&mut self, pause: Duration) {
        self.push(pause, ": keep-alive\n\n".to_owned());
    }

    /// This text, to the letter.
    pub(crate) fn push(&mut self, pause: Duration, text: String) {
        self.list.push(Event { pause, text });
    }

    /// What follows says that the answer is whole.
    pub(crate) fn end_begins(&mut self) {
        self.before_end = self.list.len();
    }

    /// The text of all of them.
    #[must_use]
    pub fn text(&self) -> String {
        self.list.iter().map(|event| event.text.as_str()).collect()
    }
}

/// One named event; the type stands in both places, as the providers send it.
pub(crate) fn named(kind: &str, mut data: Value) -> String {
    data["type"] = json!(kind);
    format!("event: {kind}\ndata: {data}\n\n")
}
