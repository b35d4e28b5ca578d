//! The trait of the protocols' decoders, and access to JSON of any structure.

use serde_json::Value;

use crate::event::Event;
use crate::sse;

/// Decodes the events of one stream.
pub(crate) trait Decoder: Send {
    /// Decodes one event. Unknown ones are skipped.
    ///
    /// # Errors
    /// [`Reported`] if the event reports a failure; the stream is then discarded.
    fn read(&mut self, event: &sse::Event, out: &mut Vec<Event>) -> Result<(), Reported>;

    /// The stream has ended without a connection error. A protocol without an end marker
    /// ends its answer here.
    fn close(&mut self, _out: &mut Vec<Event>) {}

    /// Number of skipped events.
    fn skipped(&self) -> usize;
}

/// A failure reported by a provider in the middle of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reported {
    /// The equivalent HTTP status.
    pub(crate) status: u16,
    /// The provider's message, as the body of a response with that status.
    pub(crate) body: String,
}

/// The text at a pointer; empty if there is none.
pub(super) fn str_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a pointer; 0 if there is none.
pub(super) fn number_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}
