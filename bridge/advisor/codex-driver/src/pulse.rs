//! Signs of life of a turn, from Codex's log on stderr while its stdout is silent.
//!
//! `codex exec --json` prints nothing while a model reasons or writes (codex 0.169). With
//! [`LOG_FILTER`] it logs one record on stderr for each request and each event of the provider's
//! stream, immediately, keep-alives included. A record contains the event's name; it may also contain text of the provider,
//! an account and an e-mail address, so records are parsed, counted and discarded.
//!
//! Not here: the end of a turn. A failed stream also ends with a record of `response.completed`
//! (codex 0.169); only stdout and the exit decide.

use std::collections::BTreeSet;

use memchr::memmem::Finder;
use supervise::Clock;

use crate::event::{Event, Stage};

/// The value of RUST_LOG that produces exactly these records on stderr, besides Codex's messages about
/// its own end (codex 0.145 to 0.169).
pub const LOG_FILTER: &str = "off,codex_otel.log_only=info";

/// The text before a record's fields, after its time and level. Any line that begins with it is
/// treated as a record, whatever follows: an unknown form must not be stored either.
const TARGET: &str = "codex_otel.log_only";

/// Length of a line's beginning that is searched, in bytes: a time and a level take 36.
const BEGINNING: usize = 256;

/// A field after all free texts in a record. A text may have line breaks, which codex 0.169
/// prints unchanged: until this field, the record continues.
const LAST_FIELDS: &str = " conversation.id=";

/// Maximum number of concurrent tools that are distinguished.
const RUNNING_MAX: usize = 256;

/// A sign of life of the turn: the type of an event, never its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The request was sent; the head of the response has not arrived.
    Asked,
    /// The head of the response arrived.
    Head,
    /// An event without content.
    KeepAlive,
    /// A piece of the model's reasoning, or of a tool call.
    Thought,
    /// A piece of the answer.
    Answer,
    /// Any other event of the stream.
    Event,
    /// The stream has ended: Codex itself works.
    Ended,
}

/// Who ends a stream that has begun and becomes silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Codex, by the `stream_idle_timeout_ms` of the private home.
    BoundedByCodex,
    /// The bridge, because the user's own home has its own settings.
    BoundedByUs,
}

/// State of a turn's signs of life, and whether the stall clock runs.
#[derive(Debug)]
pub(crate) struct Pulse {
    stream: Stream,
    /// Number of parsed records. With none the clock never runs: an older Codex may use other names.
    records: u64,
    /// Whether the last record is incomplete.
    is_open: bool,
    phase: Phase,
    /// Whether it was reported that the turn waits for the head of a response.
    is_wait_told: bool,
    /// Ids of running commands and tools. While there is one, the clock is stopped.
    running: BTreeSet<String>,
    /// Finds [`TARGET`].
    target: Finder<'static>,
    /// Finds [`LAST_FIELDS`].
    last_fields: Finder<'static>,
}

/// What the turn waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The start of the turn.
    Turn,
    /// Codex itself, which does what the model requested.
    Codex,
    /// The head of the provider's response. Codex has no limit for it (codex 0.169).
    Head,
    /// The next event of the stream.
    Event,
}

/// Result of a line or event: the effect on the stall clock, and a sign of life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) clock: Clock,
    pub(crate) sign: Option<Sign>,
}

impl Heard {
    const NOTHING: Self = Self { clock: Clock::Keep, sign: None };
}

/// The content of a record.
#[derive(Debug, PartialEq, Eq)]
enum Record {
    /// The provider's response began.
    Answered,
    /// A request failed; if the turn continues, there is another.
    Failed,
    /// An event of the stream.
    Event(Sign),
    /// The stream has ended.
    Ended,
    /// Something else.
    Other,
}

impl Pulse {
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            stream,
            records: 0,
            is_open: false,
            phase: Phase::Turn,
            is_wait_told: false,
            running: BTreeSet::new(),
            target: Finder::new(TARGET),
            last_fields: Finder::new(LAST_FIELDS),
        }
    }

    /// Number of parsed records.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Handles a line of stderr that belongs to a record; `None` for any other line.
    ///
    /// A provider that writes [`LAST_FIELDS`] into its own error message ends the record early. The
    /// rest of that message is then treated as Codex's text, like the message of `turn.failed`, which
    /// repeats it anyway.
    pub(crate) fn stderr_line(&mut self, line: &[u8]) -> Option<Heard> {
        // Thousands of lines per second may come: each is searched in place, once.
        let Some(at) = self.target.find(&line[..line.len().min(BEGINNING)]) else {
            if !self.is_open {
                return None;
            }
            self.is_open = self.last_fields.find(line).is_none();
            return Some(Heard::NOTHING);
        };
        let fields = &line[at + TARGET.len()..];
        self.is_open = self.last_fields.find(fields).is_none();
        let Some(record) = read(fields) else { return Some(Heard::NOTHING) };
        self.records += 1;
        let sign = match record {
            Record::Answered => {
                self.phase = Phase::Event;
                Some(Sign::Head)
            }
            Record::Event(sign) => {
                self.phase = Phase::Event;
                Some(sign)
            }
            Record::Failed => {
                self.phase = Phase::Head;
                self.is_wait_told = false;
                None
            }
            Record::Ended => {
                self.phase = Phase::Codex;
                Some(Sign::Ended)
            }
            Record::Other => None,
        };
        let clock = self.clock();
        Some(Heard { clock, sign: sign.or_else(|| self.wait()) })
    }

    /// Handles an event of stdout.
    pub(crate) fn event(&mut self, event: &Event) -> Heard {
        let clock = match event {
            // Records that were written after this event may be read before it.
            Event::TurnStarted if self.phase == Phase::Turn => {
                self.phase = Phase::Head;
                self.clock()
            }
            Event::Item { id, stage: Stage::Started, .. } => {
                if self.running.len() < RUNNING_MAX {
                    self.running.insert(id.clone());
                }
                Clock::Stop
            }
            Event::Item { id, stage: Stage::Completed, .. } if self.running.remove(id) => {
                self.clock()
            }
            _ => Clock::Keep,
        };
        Heard { clock, sign: self.wait() }
    }

    /// Reports once that the turn waits for the head of a response. Without a record that is unknown.
    fn wait(&mut self) -> Option<Sign> {
        let is_news = self.phase == Phase::Head && self.records > 0 && !self.is_wait_told;
        self.is_wait_told |= is_news;
        is_news.then_some(Sign::Asked)
    }

    fn clock(&self) -> Clock {
        let waits_for_the_provider = match (self.phase, self.stream) {
            (Phase::Turn | Phase::Codex, _) | (Phase::Event, Stream::BoundedByCodex) => false,
            (Phase::Head, _) | (Phase::Event, Stream::BoundedByUs) => true,
        };
        if self.records > 0 && self.running.is_empty() && waits_for_the_provider {
            Clock::Start
        } else {
            Clock::Stop
        }
    }
}

/// Parses the names in a record and nothing else.
fn read(fields: &[u8]) -> Option<Record> {
    Some(match field(fields, "event.name")? {
        b"codex.api_request" => {
            // Requests to other endpoints say nothing about the response.
            if field(fields, "endpoint").is_some_and(|endpoint| !endpoint.ends_with(b"/responses"))
            {
                return Some(Record::Other);
            }
            let status = field(fields, "http.response.status_code");
            match status.is_some_and(|status| status.starts_with(b"2")) {
                true => Record::Answered,
                false => Record::Failed,
            }
        }
        b"codex.sse_event" | b"codex.websocket_event" => match field(fields, "event.kind") {
            Some(b"response.completed" | b"response.failed" | b"response.incomplete") => {
                Record::Ended
            }
            kind => Record::Event(sign_of(kind)),
        },
        b"codex.websocket_request" => Record::Answered,
        _ => Record::Other,
    })
}

/// The sign for an event's name: the names of OpenAI's Responses API, as passed on by codex
/// 0.169.
fn sign_of(kind: Option<&[u8]>) -> Sign {
    let is_of_answer = |kind: &[u8]| {
        kind.split(|byte| *byte == b'.')
            .any(|part| part.starts_with(b"output_text") || part.starts_with(b"refusal"))
    };
    match kind {
        Some(b"keepalive") => Sign::KeepAlive,
        Some(kind) if !kind.ends_with(b".delta") => Sign::Event,
        Some(kind) if is_of_answer(kind) => Sign::Answer,
        Some(_) => Sign::Thought,
        None => Sign::Event,
    }
}

/// The value of a field, without the quotes around it.
fn field<'f>(fields: &'f [u8], name: &str) -> Option<&'f [u8]> {
    let mut words = fields.split(|byte| *byte == b' ');
    let value = words.find_map(|word| word.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
    let inner = value.strip_prefix(b"\"").unwrap_or(value);
    Some(inner.strip_suffix(b"\"").unwrap_or(inner))
}

#[cfg(test)]
mod tests;
