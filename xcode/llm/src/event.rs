//! What comes of a request while it comes, in the words of no protocol.

use crate::arguments::Arguments;
use crate::message::Opaque;

/// One thing that a model's stream says.
///
/// Of the calls only [`Event::CallBegun`] and [`Event::CallPart`] come as they come; they are for
/// showing. All [`Event::CallEnded`] come together at the end, before the last [`Event::Usage`]
/// and [`Event::End`]: a stream that is cut never hands out a call as complete.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// More text.
    Text {
        /// The text; it may be empty beside an `opaque`.
        text: String,
        /// What the provider wants back. The piece then stands for itself: it is not joined with
        /// the text before it.
        opaque: Option<Opaque>,
    },
    /// More of what the model thinks.
    Reasoning {
        /// What may be shown; it may be empty.
        shown: String,
        /// What the provider wants back. It ends this piece of reasoning and stands for all of it.
        opaque: Option<Opaque>,
    },
    /// A call of a tool begins.
    CallBegun {
        /// Its place among the calls of this answer, from 0.
        index: usize,
        /// Its id, never empty.
        id: String,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments, as text.
    CallPart {
        /// The place of the call.
        index: usize,
        /// The piece.
        text: String,
    },
    /// A call is complete.
    CallEnded {
        /// The place of the call.
        index: usize,
        /// The arguments.
        arguments: Arguments,
        /// What the provider wants back with the call.
        opaque: Option<Opaque>,
    },
    /// What the request took so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The answer is whole. Nothing comes after it.
    End(Reason),
}

/// Why an answer ended. Whether the loop goes on is decided by its calls, not by this.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The model had said what it wanted.
    Answered,
    /// The model wants its calls executed.
    Calls,
    /// The answer reached its limit; it is cut in the middle.
    Length,
    /// The model or a filter refused.
    Refused,
    /// A word that is not known here.
    Unknown(String),
}

/// What a request took, in tokens. Where providers count differently, it is brought to this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The whole request, cached or not.
    pub input: u64,
    /// The part of `input` that was read from a cache.
    pub cached: u64,
    /// The part of `input` that was written to a cache.
    pub cache_written: u64,
    /// The whole answer, reasoning included.
    pub output: u64,
    /// The part of `output` that was reasoning, where it is told.
    pub reasoning: u64,
}

impl Usage {
    /// Request and answer together.
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}
