//! The four wire protocols: a request to its body, the events of a stream to neutral ones.
//!
//! Both ways are pure. In a body everything that stays between two requests of a conversation
//! stands before what is added, in the same order with the same bytes. A decoder skips what it does
//! not know, and counts it.

mod calls;
mod chat;
mod gemini;
mod messages;
mod responses;

use serde_json::Value;

use crate::catalogue::{Limits, Protocol, Quirks};
use crate::event::Event;
use crate::id::{ModelId, Provider};
use crate::message::{Call, Part};
use crate::request::Request;
use crate::sse;

/// For whom a body is made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Target {
    /// The model.
    pub(crate) id: ModelId,
    /// What its provider does differently.
    pub(crate) quirks: Quirks,
    /// What fits into it.
    pub(crate) limits: Limits,
}

/// Reads the events of one stream.
pub(crate) trait Decoder: Send {
    /// Takes one event. What is not known is skipped.
    ///
    /// # Errors
    /// [`Reported`] if the event says that the request failed; nothing of the stream counts then.
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported>;

    /// The stream has ended without a fault of the connection. A protocol without a mark for the
    /// end ends its answer here.
    fn close(&mut self, _out: &mut Vec<Event>) {}

    /// How many events were skipped.
    fn skipped(&self) -> usize;
}

/// A failure that a provider reports in the middle of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reported {
    /// The HTTP status that says the same.
    pub(crate) status: u16,
    /// The provider's words, as a body of that status would hold them.
    pub(crate) body: String,
}

/// The body of `request`, as a JSON object.
pub(crate) fn body(protocol: Protocol, target: &Target, request: &Request) -> Value {
    match protocol {
        Protocol::Messages => messages::body(target, request),
        Protocol::Chat => chat::body(target, request),
        Protocol::Gemini => gemini::body(target, request),
        Protocol::Responses => responses::body(target, request),
    }
}

/// Where a request goes, below the base URL.
pub(crate) fn path(protocol: Protocol, name: &str) -> String {
    match protocol {
        Protocol::Messages => "/v1/messages".to_owned(),
        Protocol::Chat => "/chat/completions".to_owned(),
        Protocol::Gemini => format!("/models/{}:streamGenerateContent?alt=sse", escaped(name)),
        Protocol::Responses => "/responses".to_owned(),
    }
}

/// `name` for a path: what would end the path or begin another part of the address is escaped.
fn escaped(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let escaped = name.bytes().map(|byte| {
        if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
    });
    escaped.collect()
}

/// A decoder for one stream. `prefix` begins the ids of calls that have none of their own.
pub(crate) fn decoder(protocol: Protocol, provider: Provider, prefix: &str) -> Box<dyn Decoder> {
    match protocol {
        Protocol::Messages => Box::new(messages::Messages::new(provider, prefix)),
        Protocol::Chat => Box::new(chat::Chat::new(provider, prefix)),
        Protocol::Gemini => Box::new(gemini::Gemini::new(provider, prefix)),
        Protocol::Responses => Box::new(responses::Responses::new(provider, prefix)),
    }
}

/// The id of the call at `place` of a message at `at`, in the form that every provider takes:
/// letters, digits, `_` and `-`, at most 40. Other ids are replaced by their place.
fn plain_id(id: &str, at: usize, place: usize) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !id.is_empty() && id.len() <= 40 && id.bytes().all(is_plain) {
        id.to_owned()
    } else {
        format!("call_{at}_{place}")
    }
}

/// The calls among `parts`.
fn calls(parts: &[Part]) -> impl Iterator<Item = &Call> {
    parts.iter().filter_map(|part| match part {
        Part::Call(call) => Some(call),
        Part::Text { .. } | Part::Reasoning { .. } => None,
    })
}

/// The text among `parts`, joined.
fn text(parts: &[Part]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        Part::Text { text, .. } => Some(&**text),
        Part::Call(_) | Part::Reasoning { .. } => None,
    });
    texts.collect()
}

/// The text at a pointer; empty if there is none.
fn str_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a pointer; 0 if there is none.
fn number_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

#[cfg(test)]
mod tests;
