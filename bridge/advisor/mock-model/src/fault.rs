//! What goes wrong on the way of a stream, and where: after any of its events.

use std::time::Duration;

use crate::provider_error::ProviderError;

/// Something that goes wrong at one place of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where.
    pub at: At,
    /// What.
    pub trouble: Trouble,
}

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// After so many events; 0 is after the headers. A place behind the last event is its end.
    Event(usize),
    /// Before the events that say that the answer is whole.
    End,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The connection is cut: the body has no end.
    Cut,
    /// The body ends as if it were whole, on the boundary of an event.
    Stop,
    /// Nothing more comes.
    Silence,
    /// The provider's error as an event; then the body ends.
    Error(ProviderError),
    /// An event that is no JSON; then the stream goes on.
    Malformed,
    /// The rest comes later.
    Pause(Duration),
}

impl Fault {
    /// This trouble after so many events.
    #[must_use]
    pub fn after(events: usize, trouble: Trouble) -> Self {
        Self { at: At::Event(events), trouble }
    }

    /// This trouble before the events that say that the answer is whole.
    #[must_use]
    pub fn before_end(trouble: Trouble) -> Self {
        Self { at: At::End, trouble }
    }
}
