//! Faults of a stream: the fault, after which event it occurs, and the line ends of
//! the stream.

use std::time::Duration;

use crate::provider_error::ProviderError;

/// A fault at one place of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The place.
    pub at: At,
    /// The fault.
    pub trouble: Trouble,
}

/// A place in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// After so many events; 0 is after the headers. A place beyond the last event is the end.
    Event(usize),
    /// Before the events that end the answer.
    End,
}

/// The line ends of a stream of events. The format allows all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A carriage return.
    Cr,
}

/// The kind of a fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The connection is cut: the body is incomplete.
    Cut,
    /// The body ends normally but too early, after a complete event.
    Stop,
    /// Nothing more is sent.
    Silence,
    /// The provider's error as an event; then the body ends.
    Error(ProviderError),
    /// An event that is not JSON; then the stream continues.
    Malformed,
    /// The rest is sent later.
    Pause(Duration),
}

impl LineEnd {
    /// The text with these line ends.
    pub(crate) fn applied(self, text: &str) -> String {
        text.replace(
            '\n',
            match self {
                Self::Lf => "\n",
                Self::CrLf => "\r\n",
                Self::Cr => "\r",
            },
        )
    }
}

impl Fault {
    /// This fault after so many events.
    #[must_use]
    pub fn after(events: usize, trouble: Trouble) -> Self {
        Self { at: At::Event(events), trouble }
    }

    /// This fault before the events that end the answer.
    #[must_use]
    pub fn before_end(trouble: Trouble) -> Self {
        Self { at: At::End, trouble }
    }
}
