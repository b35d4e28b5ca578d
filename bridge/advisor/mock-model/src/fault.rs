//! What happens to a stream on its way: what goes wrong, after which of its events, and what ends its
//! lines.

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

/// What ends the lines of a stream of events. The format allows all three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnd {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    CrLf,
    /// A carriage return.
    Cr,
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

impl LineEnd {
    /// The text with lines that end so.
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
