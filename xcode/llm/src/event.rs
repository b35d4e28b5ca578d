//! The events of a streamed answer, independent of the protocol.

use crate::arguments::Arguments;
use crate::message::Opaque;

/// One event of a model's stream.
///
/// Of the calls only [`Event::CallBegun`] and [`Event::CallPart`] are sent while they arrive, for
/// display. All [`Event::CallEnded`] are sent together at the end, before the last [`Event::Usage`]
/// and [`Event::End`], so that an interrupted stream never yields a call as complete.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More text.
    Text {
        /// The text; may be empty if there is an `opaque`.
        text: String,
        /// Data that the provider needs back. This piece of text is then kept separate from
        /// the text before it.
        opaque: Option<Opaque>,
    },
    /// More reasoning of the model.
    Reasoning {
        /// The text that may be shown; may be empty.
        shown: String,
        /// Data that the provider needs back. It ends this piece of reasoning and replaces all of it.
        opaque: Option<Opaque>,
    },
    /// A call of a tool begins.
    CallBegun {
        /// Its index among the calls of this answer, from 0.
        index: usize,
        /// Its id, never empty.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments, as text.
    CallPart {
        /// The index of the call.
        index: usize,
        /// The piece.
        text: String,
    },
    /// A call is complete.
    CallEnded {
        /// The index of the call.
        index: usize,
        /// The arguments.
        arguments: Arguments,
        /// Data that the provider needs back with the call.
        opaque: Option<Opaque>,
    },
    /// Usage of the request so far; a later event replaces an earlier one.
    Usage(Usage),
    /// The answer is complete. The last event.
    End(Reason),
}

/// Why an answer ended. Whether the loop continues depends on its calls, not on this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The model was finished.
    Answered,
    /// The model called tools.
    Calls,
    /// The answer reached its limit and is incomplete.
    Length,
    /// The model or a filter refused.
    Refused,
    /// An unknown reason.
    Unknown(String),
}

/// Usage of a request, in tokens, normalised where providers count differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// All input tokens, cached ones included.
    pub input: u64,
    /// Input tokens read from a cache.
    pub cached: u64,
    /// Input tokens written to a cache.
    pub cache_written: u64,
    /// All output tokens, reasoning included.
    pub output: u64,
    /// Output tokens of reasoning, if reported.
    pub reasoning: u64,
}

impl Usage {
    /// Input and output tokens.
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}
