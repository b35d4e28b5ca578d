//! Converts a reply to its wire form: one module for each protocol, and the functions that select it.

pub(crate) mod chat;
pub(crate) mod gemini;
mod history;
pub(crate) mod messages;
mod openai_error;
pub(crate) mod responses;

use std::time::Duration;

use serde_json::Value;

use crate::advice;
use crate::asked::{Asked, Form, Protocol};
use crate::delivery::{self, Chunks, Sent, Way};
use crate::event::{Event, Events};
use crate::fault::{At, Fault, Trouble};
use crate::provider_error::{ErrorKind, ProviderError};
use crate::reply::{Beat, Hang, Reply};
use crate::turn::{End, Part, Piece, Turn};

/// A reply, ready to be sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How long to wait before the headers.
    pub(crate) delay: Duration,
    /// Headers in addition to those of its kind.
    pub(crate) headers: Vec<(String, String)>,
    /// What to send then.
    pub(crate) kind: Kind,
}

/// The kinds of responses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A status with headers and a body.
    Plain { code: u16, headers: Vec<(String, String)>, body: String },
    /// Status 200 and a body of this type.
    Body { content_type: &'static str, sent: Sent },
    /// No response at all.
    Silence,
}

/// Converts the reply for this request.
pub(crate) fn answer(reply: Reply, asked: &Asked) -> Answer {
    let resolved = resolve(reply, asked);
    let kind = kind(&resolved, asked);
    Answer { delay: resolved.delay, headers: resolved.headers, kind }
}

/// The events of a turn without faults: what a client of this protocol receives.
#[must_use]
pub fn events(turn: &Turn, asked: &Asked) -> Events {
    match asked.protocol {
        Protocol::Responses => responses::events(turn, asked),
        Protocol::Messages => messages::events(turn, asked),
        Protocol::Chat => chat::events(turn, asked),
        Protocol::Gemini => gemini::events(turn, asked),
    }
}

/// The turn as one JSON object.
#[must_use]
pub fn whole(turn: &Turn, asked: &Asked) -> Value {
    match asked.protocol {
        Protocol::Responses => responses::response(turn, asked),
        Protocol::Messages => messages::message(turn, asked),
        Protocol::Chat => chat::completion(turn, asked),
        Protocol::Gemini => gemini::response(turn, asked),
    }
}

/// Status, headers and body of an error.
#[must_use]
pub fn error(error: &ProviderError, asked: &Asked) -> (u16, Vec<(String, String)>, String) {
    let (status, body) = match asked.protocol {
        Protocol::Responses => responses::error(error, asked),
        Protocol::Messages => messages::error(error, asked),
        Protocol::Chat => chat::error(error, asked),
        Protocol::Gemini => gemini::error(error, asked),
    };
    let mut headers = Vec::new();
    if let (Some(time), false) = (error.retry_after, asked.protocol == Protocol::Gemini) {
        // Whole seconds, rounded up, so that no client retries too early.
        headers.push(("retry-after".to_owned(), time.as_secs_f64().ceil().to_string()));
    }
    (status, headers, body.to_string())
}

/// The provider's refusal of this request, whatever the script says; none if it is valid.
#[must_use]
pub fn refused(asked: &Asked) -> Option<ProviderError> {
    match asked.protocol {
        Protocol::Responses => responses::refused(&asked.body),
        Protocol::Messages => messages::refused(&asked.body),
        Protocol::Chat => chat::refused(asked),
        Protocol::Gemini => gemini::refused(asked),
    }
}

/// The user's texts in a body of this protocol, oldest first.
#[must_use]
pub fn user_texts(protocol: Protocol, body: &Value) -> Vec<String> {
    match protocol {
        Protocol::Responses => history::user_texts(&body["input"]),
        Protocol::Messages | Protocol::Chat => history::user_texts(&body["messages"]),
        Protocol::Gemini => gemini::user_texts(body),
    }
}

/// The number of the model's answers in a body of this protocol.
#[must_use]
pub fn answers(protocol: Protocol, body: &Value) -> usize {
    match protocol {
        Protocol::Responses => responses::answers(body),
        Protocol::Messages | Protocol::Chat => {
            history::of_role(&body["messages"], "assistant").count()
        }
        Protocol::Gemini => gemini::answers(body),
    }
}

/// The texts of the results of calls in a body of this protocol, oldest first.
#[must_use]
pub fn results(protocol: Protocol, body: &Value) -> Vec<String> {
    match protocol {
        Protocol::Responses => responses::results(body),
        Protocol::Messages => messages::results(body),
        Protocol::Chat => chat::results(body),
        Protocol::Gemini => gemini::results(body),
    }
}

fn error_event(error: &ProviderError, asked: &Asked) -> String {
    match asked.protocol {
        Protocol::Responses => responses::error_event(error, asked),
        Protocol::Messages => messages::error_event(error, asked),
        Protocol::Chat => chat::error_event(error, asked),
        Protocol::Gemini => gemini::error_event(error, asked),
    }
}

/// A reply without its wrappers.
struct Resolved {
    delay: Duration,
    headers: Vec<(String, String)>,
    base: Base,
    way: Way,
}

/// The reply inside the wrappers.
enum Base {
    Turn(Turn),
    Failed { code: String, message: String },
    Status { code: u16, headers: Vec<(String, String)>, body: String },
    Silence,
}

fn resolve(reply: Reply, asked: &Asked) -> Resolved {
    let said = |turn| Resolved::new(Base::Turn(turn));
    let advice = || Turn::text(advice::answer(&user_texts(asked.protocol, &asked.body)));
    match reply {
        Reply::Turn(turn) => said(turn),
        Reply::Advice => said(advice()),
        Reply::Text(text) => said(Turn::text(text)),
        Reply::Texts(texts) => said(texts.into_iter().fold(Turn::empty(), Turn::and_text)),
        Reply::Empty => said(Turn::empty()),
        Reply::Refusal(text) => said(Turn::empty().and(Part::Refusal(text))),
        Reply::ToolCall { name, arguments } => said(Turn::empty().and_raw_call(&name, arguments)),
        Reply::TextThenToolCall { text, name, arguments } => {
            said(Turn::text(text).and_raw_call(&name, arguments))
        }
        Reply::Incomplete(reason) => said(Turn::empty().ending(incomplete(reason))),
        Reply::Failed { code, message } => Resolved::new(Base::Failed { code, message }),
        Reply::Status { code, headers, body } => {
            Resolved::new(Base::Status { code, headers, body })
        }
        Reply::Error(provider_error) => {
            let (code, headers, body) = error(&provider_error, asked);
            Resolved::new(Base::Status { code, headers, body })
        }
        Reply::Cut => said(advice()).with(Fault::before_end(Trouble::Cut)),
        Reply::Hang(Hang::MidStream) => said(advice()).with(Fault::before_end(Trouble::Silence)),
        Reply::Hang(Hang::AfterHeaders) => {
            said(Turn::empty()).with(Fault::after(0, Trouble::Silence))
        }
        Reply::Hang(Hang::BeforeHeaders) => Resolved::new(Base::Silence),
        Reply::Paced { beat, every, times, then } => {
            resolve(*then, asked).after_beats(beats(beat, every, times))
        }
        Reply::Written { characters, every, then } => {
            let mut resolved = resolve(*then, asked);
            if let Base::Turn(turn) = resolved.base {
                resolved.base = Base::Turn(turn.written(characters.max(1), every));
            }
            resolved
        }
        Reply::Headed { headers, then } => {
            let mut resolved = resolve(*then, asked);
            resolved.headers.extend(headers);
            resolved
        }
        Reply::Delay(delay, then) => {
            let mut resolved = resolve(*then, asked);
            resolved.delay += delay;
            resolved
        }
        Reply::Faulty { fault, then } => resolve(*then, asked).with(fault),
        Reply::Chunked { bytes, every, then } => {
            let mut resolved = resolve(*then, asked);
            resolved.way.chunks = Some(Chunks { bytes, every });
            resolved
        }
        Reply::Lines { end, then } => {
            let mut resolved = resolve(*then, asked);
            resolved.way.lines = end;
            resolved
        }
    }
}

/// The finish reason of an incomplete turn.
fn incomplete(reason: String) -> End {
    match reason.as_str() {
        "max_output_tokens" => End::Length,
        "content_filter" => End::Filtered,
        _ => End::Named(reason),
    }
}

impl Resolved {
    fn new(base: Base) -> Self {
        Self { delay: Duration::ZERO, headers: Vec::new(), base, way: Way::SMOOTH }
    }

    fn with(mut self, fault: Fault) -> Self {
        self.way.faults.push(fault);
        self
    }

    /// The same with beats before it. A reply that is not a stream becomes a silence after them.
    fn after_beats(mut self, beats: Vec<Part>) -> Self {
        if let Base::Turn(turn) = &mut self.base {
            turn.parts.splice(..0, beats);
        } else {
            self.base = Base::Turn(Turn { parts: beats, ..Turn::empty() });
            self.way.faults.push(Fault::before_end(Trouble::Silence));
        }
        for fault in &mut self.way.faults {
            if *fault == Fault::after(0, Trouble::Silence) {
                fault.at = At::End;
            }
        }
        self
    }
}

fn beats(beat: Beat, every: Duration, times: u32) -> Vec<Part> {
    let pieces = || (0..times).map(|_| Piece { text: ".".to_owned(), pause: every }).collect();
    match beat {
        Beat::Delta => vec![Part::Text(pieces())],
        Beat::Reasoning => vec![Part::Reasoning { shown: pieces(), opaque: None }],
        Beat::KeepAlive => (0..times).map(|_| Part::KeepAlive(every)).collect(),
        Beat::Comment => (0..times).map(|_| Part::Comment(every)).collect(),
    }
}

fn kind(resolved: &Resolved, asked: &Asked) -> Kind {
    let (content_type, events) = match (&resolved.base, asked.form) {
        (Base::Silence, _) => return Kind::Silence,
        (Base::Status { code, headers, body }, _) => {
            return Kind::Plain { code: *code, headers: headers.clone(), body: body.clone() };
        }
        (Base::Failed { code, message }, Form::Events) => {
            ("text/event-stream", failed(code, message, asked))
        }
        (Base::Failed { message, .. }, _) => {
            let failure = server_error(message);
            let (code, headers, body) = error(&failure, asked);
            return Kind::Plain { code, headers, body };
        }
        (Base::Turn(turn), Form::Events) => ("text/event-stream", events(turn, asked)),
        (Base::Turn(turn), Form::Array) => ("application/json", array(events(turn, asked))),
        (Base::Turn(turn), Form::Whole) => {
            let event = Event { pause: Duration::ZERO, text: whole(turn, asked).to_string() };
            ("application/json", Events { list: vec![event], before_end: 0 })
        }
    };
    let worded = |error: &ProviderError| error_event(error, asked);
    let sent = delivery::deliver(events, &resolved.way, &worded);
    Kind::Body { content_type, sent }
}

fn failed(code: &str, message: &str, asked: &Asked) -> Events {
    if asked.protocol == Protocol::Responses {
        return responses::failed(code, message, asked);
    }
    let mut failed = Events::default();
    failed.push(Duration::ZERO, error_event(&server_error(message), asked));
    failed
}

fn server_error(message: &str) -> ProviderError {
    ProviderError { message: Some(message.to_owned()), ..ErrorKind::Server.into() }
}

/// The data of the events as elements of a JSON array.
fn array(events: Events) -> Events {
    let mut array = Events { list: Vec::new(), before_end: events.before_end };
    let count = events.list.len();
    for (place, event) in events.list.into_iter().enumerate() {
        let data = event.text.trim_end().trim_start_matches("data: ");
        let open = if place == 0 { "[" } else { ",\r\n" };
        let close = if place + 1 == count { "]" } else { "" };
        array.push(event.pause, format!("{open}{data}{close}"));
    }
    array
}

#[cfg(test)]
mod tests;
