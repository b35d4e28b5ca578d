//! What is answered, and when: a fixed reply, a queue of replies, or a choice by request.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use crate::record::Recorded;

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
    /// A stream that ends with `response.failed`.
    Failed {
        /// The error's code, such as `server_error`.
        code: String,
        /// The error's message.
        message: String,
    },
    /// A stream that ends with `response.incomplete` for this reason, such as `max_output_tokens`.
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
    /// Another reply, later.
    Delay(Duration, Box<Reply>),
}

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
    /// A provider's error answer: the status and OpenAI's error body.
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

    /// The same reply after a delay.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self::Delay(delay, Box::new(self))
    }
}

type Choose = Box<dyn FnMut(&Recorded) -> Reply + Send>;

/// Which reply each request gets.
pub struct Script(Choose);

impl Script {
    /// The same reply each time.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        Self(Box::new(move |_| reply.clone()))
    }

    /// These replies in order, one a request, and `then` for every request after them.
    #[must_use]
    pub fn sequence(replies: impl IntoIterator<Item = Reply>, then: Reply) -> Self {
        let mut queue: VecDeque<Reply> = replies.into_iter().collect();
        Self(Box::new(move |_| queue.pop_front().unwrap_or_else(|| then.clone())))
    }

    /// The reply that the function chooses for the request.
    #[must_use]
    pub fn choose(choose: impl FnMut(&Recorded) -> Reply + Send + 'static) -> Self {
        Self(Box::new(choose))
    }

    pub(crate) fn reply(&mut self, request: &Recorded) -> Reply {
        (self.0)(request)
    }
}

impl From<Reply> for Script {
    fn from(reply: Reply) -> Self {
        Self::always(reply)
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Script(..)")
    }
}
