//! Reads the events of an answer from the response body.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http_body_util::BodyExt;
use hyper::body::Body;
use redact::{Cut, Redactor};

use super::connector::{self, MESSAGE_CHARS};
use crate::event::Event;
use crate::failure::{Failure, Wait};
use crate::model::{Cancel, Events};
use crate::reply::{Reply, classify};
use crate::sse;
use crate::wire::Decoder;

/// How long to wait for the end of a body after the answer is complete: a connection whose body was
/// read to its end can be reused.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// The events of `body`. The stream fails after `silence` without data.
pub(super) fn events<B>(
    body: B,
    decoder: Box<dyn Decoder>,
    silence: Duration,
    redactor: Redactor,
) -> Events
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: std::error::Error + Send + 'static,
{
    let reading = Reading {
        body,
        decoder,
        silence,
        redactor,
        reader: sse::Reader::default(),
        bytes: 0,
        ready: VecDeque::new(),
        is_over: false,
    };
    stream::unfold(reading, |mut reading| async move {
        let next = reading.next().await?;
        Some((next, reading))
    })
    .boxed()
}

/// `events` until `cancel`, which adds [`Failure::Cancelled`] as the last item.
pub(super) fn until(cancel: Cancel, events: Events) -> Events {
    stream::unfold(Some((cancel, events)), |state| async move {
        let (cancel, mut events) = state?;
        // Both arms are cancel safe; the stream is dropped with its connection.
        let next = tokio::select! {
            biased;
            () = cancel.cancelled() => return Some((Err(Failure::Cancelled), None)),
            next = events.next() => next?,
        };
        Some((next, Some((cancel, events))))
    })
    .boxed()
}

/// Maximum size of one answer, in bytes: a hundred times the longest answer of any model
/// with its framing. An endless answer would fill the memory.
const MAX_ANSWER_BYTES: usize = 64 << 20;

struct Reading<B> {
    body: B,
    decoder: Box<dyn Decoder>,
    silence: Duration,
    redactor: Redactor,
    reader: sse::Reader,
    /// Number of bytes received so far.
    bytes: usize,
    /// Events that were read but not yet returned.
    ready: VecDeque<Result<Event, Failure>>,
    /// The end or a failure was read: nothing more is read.
    is_over: bool,
}

impl<B> Reading<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::error::Error + 'static,
{
    async fn next(&mut self) -> Option<Result<Event, Failure>> {
        loop {
            if let Some(next) = self.ready.pop_front() {
                return Some(next);
            }
            if self.is_over {
                return None;
            }
            self.read().await;
        }
    }

    /// Waits for the next piece of the body, and decodes it.
    async fn read(&mut self) {
        match tokio::time::timeout(self.silence, self.body.frame()).await {
            Ok(Some(Ok(frame))) => {
                if let Some(bytes) = frame.data_ref() {
                    self.take(bytes);
                }
                if self.is_over && !self.has_failed() {
                    self.read_the_rest().await;
                }
            }
            Ok(None) => {
                let mut out = Vec::new();
                self.decoder.close(&mut out);
                self.hand_out(out);
                if !self.is_over {
                    self.fail(Failure::Cut { message: self.skipped("the connection ended") });
                }
            }
            Ok(Some(Err(error))) => {
                let message = match connector::problem(&error) {
                    connector::Problem::Other(message) => message,
                    connector::Problem::ConnectTime => "the connection broke".to_owned(),
                };
                let cut = Cut::chars(MESSAGE_CHARS).marked();
                let message = self.redactor.sanitize(&message, cut).text.into_owned();
                self.fail(Failure::Cut { message: self.skipped(&message) });
            }
            Err(_) => {
                self.fail(Failure::Timeout { wait: Wait::Silence, after: self.silence });
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        if self.bytes > MAX_ANSWER_BYTES {
            let message = format!("more than {MAX_ANSWER_BYTES} bytes without an end");
            self.fail(Failure::Unreadable { message });
            return;
        }
        for event in self.reader.push(bytes) {
            let mut out = Vec::new();
            let read = self.decoder.read(&event, &mut out);
            self.hand_out(out);
            if let Err(reported) = read
                && !self.is_over
            {
                let reply = Reply { status: reported.status, after: None, body: &reported.body };
                self.fail(classify(reply, &self.redactor));
            }
            if self.is_over {
                return;
            }
        }
    }

    fn hand_out(&mut self, events: Vec<Event>) {
        self.is_over |= events.iter().any(|event| matches!(event, Event::End(_)));
        self.ready.extend(events.into_iter().map(Ok));
    }

    fn has_failed(&self) -> bool {
        self.ready.back().is_some_and(Result::is_err)
    }

    fn fail(&mut self, failure: Failure) {
        self.is_over = true;
        self.ready.push_back(Err(failure));
    }

    /// `message` with the number of unknown events, which reveals an endpoint with another
    /// protocol.
    fn skipped(&self, message: &str) -> String {
        match self.decoder.skipped() + self.reader.dropped() {
            0 => message.to_owned(),
            skipped => format!("{message} ({skipped} unknown events)"),
        }
    }

    async fn read_the_rest(&mut self) {
        let rest = async { while let Some(Ok(_)) = self.body.frame().await {} };
        // Whether the rest arrives in time only matters for reusing the connection.
        drop(tokio::time::timeout(LAST_BYTES, rest).await);
    }
}

#[cfg(test)]
mod tests;
