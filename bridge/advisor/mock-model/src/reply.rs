//! One answer of the mock model, independent of the protocol, with or without faults.

use std::time::Duration;

use crate::fault::{Fault, LineEnd};
use crate::provider_error::ProviderError;
use crate::turn::Turn;

/// One answer of the mock model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// Advice for the question in the request, with its plans, phase and language.
    Advice,
    /// One message with this exact text.
    Text(String),
    /// Several messages in one turn; the last one is the answer.
    Texts(Vec<String>),
    /// A complete response without any message.
    Empty,
    /// The model refuses, with this text.
    Refusal(String),
    /// The model calls a tool; the turn continues with the next request.
    ToolCall {
        /// The tool.
        name: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// The model writes a text and calls a tool in one response; the turn continues with the next request.
    TextThenToolCall {
        /// The text.
        text: String,
        /// The tool.
        name: String,
        /// Its arguments, as JSON text.
        arguments: String,
    },
    /// An HTTP response that is not a stream.
    Status {
        /// The status code.
        code: u16,
        /// Headers in addition to `content-type: application/json`.
        headers: Vec<(String, String)>,
        /// The exact body.
        body: String,
    },
    /// A stream that fails before any content: `response.failed`, or the protocol's error event.
    Failed {
        /// The error's code, such as `server_error`.
        code: String,
        /// The error's message.
        message: String,
    },
    /// A stream that ends for this reason, such as `max_output_tokens` or `content_filter`.
    Incomplete(String),
    /// A message with complete advice, but the connection is closed before the response is complete.
    Cut,
    /// Silence until the caller gives up.
    Hang(Hang),
    /// A slow stream: some beats, then the other reply.
    Paced {
        /// What is sent at each beat.
        beat: Beat,
        /// The pause before each beat.
        every: Duration,
        /// The number of beats.
        times: u32,
        /// What follows: a stream or a hang.
        then: Box<Reply>,
    },
    /// A stream whose text is sent in pieces, each after a pause, as a model writes it.
    Written {
        /// The most characters in a piece, at least 1.
        characters: usize,
        /// The pause before each piece.
        every: Duration,
        /// What is sent.
        then: Box<Reply>,
    },
    /// Another reply with these additional headers.
    Headed {
        /// Names and values.
        headers: Vec<(String, String)>,
        /// The reply.
        then: Box<Reply>,
    },
    /// Another reply, with its headers delayed.
    Delay(Duration, Box<Reply>),
    /// This turn of the model.
    Turn(Turn),
    /// The provider refuses the request.
    Error(ProviderError),
    /// A stream with a fault.
    Faulty {
        /// The fault and its place.
        fault: Fault,
        /// The stream.
        then: Box<Reply>,
    },
    /// A stream of events with these line ends.
    Lines {
        /// The line end.
        end: LineEnd,
        /// The stream.
        then: Box<Reply>,
    },
    /// A body in chunks of a size that may split any character, line or event.
    Chunked {
        /// The size of a chunk, at least 1.
        bytes: usize,
        /// The pause before each chunk.
        every: Duration,
        /// What is sent.
        then: Box<Reply>,
    },
}

/// The number of pieces of reasoning before a written text.
const THOUGHTS: u32 = 20;

/// The most characters in a piece of such a text.
const WRITTEN_CHARACTERS: usize = 48;

/// What a provider sends while a model thinks or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// A piece of the answer's text.
    Delta,
    /// A piece of the summary of the model's reasoning.
    Reasoning,
    /// An event without content, as OpenAI sends them during long reasoning.
    KeepAlive,
    /// A comment line, which is not an event.
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
    /// A provider's error response: the status and OpenAI's error body, for any protocol.
    #[must_use]
    pub fn error(code: u16, kind: &str, message: &str) -> Self {
        let body = serde_json::json!({
            "error": { "type": kind, "code": kind, "message": message }
        });
        Self::Status { code, headers: Vec::new(), body: body.to_string() }
    }

    /// The same reply after beats.
    #[must_use]
    pub fn paced(self, beat: Beat, every: Duration, times: u32) -> Self {
        Self::Paced { beat, every, times, then: Box::new(self) }
    }

    /// The same reply with its text in pieces of at most so many characters, each after a pause.
    #[must_use]
    pub fn written(self, characters: usize, every: Duration) -> Self {
        Self::Written { characters, every, then: Box::new(self) }
    }

    /// The same reply as a reasoning model gives it: pieces of reasoning, then the text in
    /// pieces, each after a pause.
    #[must_use]
    pub fn thought_and_written(self, every: Duration) -> Self {
        self.written(WRITTEN_CHARACTERS, every).paced(Beat::Reasoning, every, THOUGHTS)
    }

    /// The same reply with these headers, as providers report limits.
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

    /// The same reply with this fault in addition.
    #[must_use]
    pub fn with(self, fault: Fault) -> Self {
        Self::Faulty { fault, then: Box::new(self) }
    }

    /// The same reply with these line ends in its stream.
    #[must_use]
    pub fn with_lines(self, end: LineEnd) -> Self {
        Self::Lines { end, then: Box::new(self) }
    }

    /// The same reply in chunks of so many bytes, without pauses.
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
