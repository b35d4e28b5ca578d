//! The events of a run as they arrive: server-sent events, as far as the daemon uses them (`id`, `event`,
//! `data`, comments).

use std::time::Duration;

use contract::event::Event;
use http::header::{ACCEPT, HeaderValue};
use tokio::time::Instant;

use crate::address::Address;
use crate::client::{Call, Client, Unanswered, decode, stranger};
use crate::connection::Answer;
use crate::discovery::Found;
use crate::error::ClientError;

/// The longest event that is kept, in bytes: an outcome has some kilobytes.
const EVENT_MAX_BYTES: usize = 8 << 20;

/// After this silence a stream counts as dead: the daemon sends a comment every 15 s.
const SILENCE_LIMIT: Duration = Duration::from_secs(45);

/// An open stream.
pub(crate) struct EventStream {
    place: Found<Address>,
    answer: Answer,
    reader: Reader,
}

impl Client {
    /// Sends a request whose response is a stream of events, and waits for its head for at most `limit`.
    ///
    /// # Cancel safety
    /// If the future is dropped, the request may have been sent.
    pub(crate) async fn event_stream(
        &self,
        call: Call,
        deadline: Instant,
        limit: Duration,
    ) -> Result<EventStream, Unanswered> {
        let call = call.header(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let (place, answer) = self.send(&call, deadline, limit).await?;
        if answer.is_event_stream {
            return Ok(EventStream { place, answer, reader: Reader::default() });
        }
        let status = answer.status;
        let body = answer.whole(deadline.min(Instant::now() + limit)).await;
        let body = body.map_err(|fault| ClientError::of(fault, place.clone(), limit))?;
        // Only a failure is a valid response of the daemon here.
        decode::<serde::de::IgnoredAny>(status, &body, &place)?;
        Err(stranger(status, place).into())
    }
}

impl EventStream {
    /// The run's URL, from the head of the response.
    pub(crate) fn content_location(&self) -> Option<&str> {
        self.answer.content_location.as_deref()
    }

    /// The next event; `None` at the end of the stream.
    ///
    /// # Cancel safety
    /// Cancel safe: no event is lost.
    pub(crate) async fn next(&mut self, deadline: Instant) -> Result<Option<Event>, ClientError> {
        loop {
            if let Some(event) = self.reader.next() {
                return Ok(Some(event));
            }
            let limit = deadline.min(Instant::now() + SILENCE_LIMIT);
            let piece = self.answer.piece(limit).await;
            match piece
                .map_err(|fault| ClientError::of(fault, self.place.clone(), SILENCE_LIMIT))?
            {
                Some(piece) if self.reader.feed(&piece) => {}
                Some(_) => return Err(self.stranger()),
                None => return Ok(None),
            }
        }
    }

    /// The error for content that the daemon never sends.
    pub(crate) fn stranger(&self) -> ClientError {
        stranger(self.answer.status, self.place.clone())
    }

    /// The error for a stream that ends before the run does.
    pub(crate) fn cut(&self) -> ClientError {
        let cause = "the stream of its events ended early".to_owned();
        ClientError::Lost { place: self.place.clone(), cause }
    }
}

/// Splits a stream into events.
#[derive(Debug, Default)]
struct Reader {
    text: Vec<u8>,
    /// How many bytes of the text were searched without finding the end of an event.
    looked_through: usize,
}

impl Reader {
    /// Adds bytes. Returns whether they are still valid.
    fn feed(&mut self, bytes: &[u8]) -> bool {
        self.text.extend_from_slice(bytes);
        self.text.len() <= EVENT_MAX_BYTES
    }

    /// The next complete event. Comments and unknown blocks are skipped.
    fn next(&mut self) -> Option<Event> {
        loop {
            // The last byte may be the first half of an event's end.
            let from = self.looked_through.saturating_sub(1);
            let mut pairs = self.text[from..].windows(2);
            let Some(found) = pairs.position(|pair| pair == b"\n\n") else {
                self.looked_through = self.text.len();
                return None;
            };
            let end = from + found;
            self.looked_through = 0;
            let block: Vec<u8> = self.text.drain(..end + 2).collect();
            let event = std::str::from_utf8(&block).ok().and_then(event);
            if event.is_some() {
                return event;
            }
        }
    }
}

fn event(block: &str) -> Option<Event> {
    let field = |name: &str| {
        let rest = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        Some(rest.strip_prefix(' ').unwrap_or(rest))
    };
    Some(Event {
        // A volatile event has none.
        seq: field("id").map(str::parse).transpose().ok()?,
        name: field("event")?.parse().ok()?,
        data: serde_json::from_str(field("data")?).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_stream_is_cut() {
        let stream = ": alive\n\nid: 1\nevent: queued\ndata: {}\n\nid:2\nevent:progress\n\
                      data:{\"stage\":\"turn\",\"who\":\"ä\"}\n\nnonsense\n\nevent: progress\ndata: \
                      {\"stage\":\"thinking\",\"events\":3}\n\nid: 3\nevent: rep";
        for size in [1, 2, 3, 7, stream.len()] {
            let mut reader = Reader::default();
            let mut events = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                assert!(reader.feed(piece));
                events.extend(std::iter::from_fn(|| reader.next()));
            }
            let found: Vec<_> =
                events.iter().map(|event| (event.seq, event.name.as_str())).collect();
            let expected = [(Some(1), "queued"), (Some(2), "progress"), (None, "progress")];
            assert_eq!(found, expected, "pieces of {size}");
            assert_eq!(events[1].stage().as_deref(), Some("Codex thinks"));
            assert_eq!(events[2].stage().as_deref(), Some("Codex thinks, 3 events"));
        }
    }

    #[test]
    fn an_event_without_an_end_is_given_up() {
        let mut reader = Reader::default();
        assert!(reader.feed(&vec![b'x'; EVENT_MAX_BYTES]));
        assert!(!reader.feed(b"x"));
    }
}
