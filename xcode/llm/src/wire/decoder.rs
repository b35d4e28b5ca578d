//! What each protocol's decoder is, and how it looks into JSON that may have any shape.

use serde_json::Value;

use crate::event::Event;
use crate::sse;

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

/// The text at a pointer; empty if there is none.
pub(super) fn str_at<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a pointer; 0 if there is none.
pub(super) fn number_at(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}
