//! One answer of the mock model, good or bad, in words that belong to no protocol.

use std::time::Duration;

use crate::fault::{Fault, LineEnd};
use crate::provider_error::ProviderError;
use crate::turn::Turn;

/// One answer of the mock model, good or bad.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Advice that fits the question in the request: its plans, its phase, its language.
    Advice,
    /// One message with this text, to the letter.
    Text(String),
    /// Several messages in one turn; the last one is the answer.
    Texts(Vec<String>),
    /// A completed response without any message.
    Empty,
    /// The model refuses, in these words.
    Refusal(String),
    /// The model calls a tool; the turn goes on with the next request.
    ToolCall {
        /// Which tool.
        name: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// The model says something and calls a tool in one response; the turn goes on with the next request.
    TextThenToolCall {
        /// What it says.
        text: String,
        /// Which tool.
        name: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// An HTTP answer other than a stream.
    Status {
        /// The status code.
        code: u16,
        /// Headers beside `content-type: application/json`.
        headers: Vec<(String, String)>,
        /// The body, to the letter.
        body: String,
    },
    /// A stream that fails before it says anything: `response.failed`, or the protocol's error event.
    Failed {
        /// The error's code, such as `server_error`.
        code: String,
        /// The error's message.
        message: String,
    },
    /// A stream that ends for this reason, such as `max_output_tokens` or `content_filter`.
    Incomplete(String),
    /// A message with whole advice, but the connection is closed before the response is complete.
    Cut,
    /// Silence until the caller gives up.
    Hang(Hang),
    /// A stream that takes its time: beats first, then what the other reply sends.
    Paced {
        /// What comes at each beat.
        beat: Beat,
        /// The pause before each beat.
        every: Duration,
        /// How many beats there are.
        times: u32,
        /// How it goes on: a stream or a hang.
        then: Box<Reply>,
    },
    /// A stream whose text comes in pieces, each after a pause, as a model writes it.
    Written {
        /// Most characters of a piece, at least 1.
        characters: usize,
        /// The pause before each piece.
        every: Duration,
        /// What is sent.
        then: Box<Reply>,
    },
    /// Another reply with these headers beside its own.
    Headed {
        /// Names and values.
        headers: Vec<(String, String)>,
        /// The reply.
        then: Box<Reply>,
    },
    /// Another reply, its headers later.
    Delay(Duration, Box<Reply>),
    /// This turn of the model.
    Turn(Turn),
    /// The provider refuses the request.
    Error(ProviderError),
    /// A stream on which something goes wrong.
    Faulty {
        /// What, and where.
        fault: Fault,
        /// The stream.
        then: Box<Reply>,
    },
    /// A stream of events whose lines end so.
    Lines {
        /// What ends a line.
        end: LineEnd,
        /// The stream.
        then: Box<Reply>,
    },
    /// A body in chunks of a size that no boundary of a character, a line or an event is safe from.
    Chunked {
        /// The size of a chunk, at least 1.
        bytes: usize,
        /// The pause before each chunk.
        every: Duration,
        /// What is sent.
        then: Box<Reply>,
    },
}

/// Pieces of reasoning before a text that is written.
const THOUGHTS: u32 = 20;

/// Most characters of a piece of such a text.
const WRITTEN_CHARACTERS: usize = 48;

/// What a provider sends while a model thinks or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// A piece of the answer's text.
    Delta,
    /// A piece of the summary of the model's reasoning.
    Reasoning,
    /// An event that says nothing, as OpenAI sends them in long silent thinking.
    KeepAlive,
    /// A comment line, which is no event.
    Comment,
}

/// Where the silence begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hang {
    /// Before the status line; codex 0.169 has no timeout of its own for this.
    BeforeHeaders,
    /// After the headers, before any event.
    AfterHeaders,
    /// After a message, before the response is complete.
    MidStream,
}

impl Reply {
    /// A provider's error answer: the status and OpenAI's error body, whatever the protocol is.
    #[must_use]
    pub fn error(code: u16, kind: &str, message: &str) -> Self {
        let body = serde_json::json!({
            "error": { "type": kind, "code": kind, "message": message }
        });
        Self::Status { code, headers: Vec::new(), body: body.to_string() }
    }

    /// The same reply after beats of its stream.
    #[must_use]
    pub fn paced(self, beat: Beat, every: Duration, times: u32) -> Self {
        Self::Paced { beat, every, times, then: Box::new(self) }
    }

    /// The same reply, its text in pieces of at most so many characters, each after a pause.
    #[must_use]
    pub fn written(self, characters: usize, every: Duration) -> Self {
        Self::Written { characters, every, then: Box::new(self) }
    }

    /// The same reply as a model that thinks and writes gives it: pieces of reasoning, then the text in
    /// pieces, each after a pause.
    #[must_use]
    pub fn thought_and_written(self, every: Duration) -> Self {
        self.written(WRITTEN_CHARACTERS, every).paced(Beat::Reasoning, every, THOUGHTS)
    }

    /// The same reply with these headers, as providers tell limits in them.
    #[must_use]
    pub fn headed<const N: usize>(self, headers: [(&str, &str); N]) -> Self {
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self::Headed { headers: headers.to_vec(), then: Box::new(self) }
    }

    /// The same reply after a delay.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self::Delay(delay, Box::new(self))
    }

    /// The same reply with this fault; several add up.
    #[must_use]
    pub fn with(self, fault: Fault) -> Self {
        Self::Faulty { fault, then: Box::new(self) }
    }

    /// The same reply, the lines of its stream ending so.
    #[must_use]
    pub fn with_lines(self, end: LineEnd) -> Self {
        Self::Lines { end, then: Box::new(self) }
    }

    /// The same reply in chunks of so many bytes, one right after the other.
    #[must_use]
    pub fn in_chunks(self, bytes: usize) -> Self {
        Self::Chunked { bytes, every: Duration::ZERO, then: Box::new(self) }
    }
}

impl From<Turn> for Reply {
    fn from(turn: Turn) -> Self {
        Self::Turn(turn)
    }
}

impl From<ProviderError> for Reply {
    fn from(error: ProviderError) -> Self {
        Self::Error(error)
    }
}
