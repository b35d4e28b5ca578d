//! Streams without a socket, so that the clock can be paused: silence, pings, cuts, the end.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http_body_util::StreamBody;
use hyper::body::Frame;
use redact::Redactor;
use tokio::time::{Instant, sleep};

use super::{events, until};
use crate::catalogue::Protocol;
use crate::event::{Event, Reason};
use crate::failure::{Failure, Wait};
use crate::id::Provider;
use crate::model::{Cancel, Events};
use crate::wire;

const SILENCE: Duration = Duration::from_secs(120);

type Frames = BoxStream<'static, io::Result<Frame<Bytes>>>;

fn frame(text: &str) -> io::Result<Frame<Bytes>> {
    Ok(Frame::data(Bytes::from(text.to_owned())))
}

fn of(protocol: Protocol, frames: Frames) -> Events {
    let decoder = wire::decoder(protocol, Provider::Custom, "made");
    let redactor = Redactor::with_values(vec!["sk-planted-0123456789".into()]);
    events(StreamBody::new(frames), decoder, SILENCE, redactor)
}

async fn all(protocol: Protocol, frames: Frames) -> Vec<Result<Event, Failure>> {
    of(protocol, frames).collect().await
}

fn text(text: &str) -> Result<Event, Failure> {
    Ok(Event::Text { text: text.into(), opaque: None })
}

const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\n";
const STOP: &str =
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[tokio::test(start_paused = true)]
async fn silence_ends_an_answer_after_its_time() {
    let begun = Instant::now();
    let frames = stream::iter([frame(HELLO)]).chain(stream::pending()).boxed();
    let timeout = Failure::Timeout { wait: Wait::Silence, after: SILENCE };
    assert_eq!(all(Protocol::Chat, frames).await, [text("hello"), Err(timeout)]);
    assert_eq!(begun.elapsed().as_secs(), 120);
}

/// docs/MODELS.md, Anthropic: pings come anywhere; others send comment lines.
#[tokio::test(start_paused = true)]
async fn a_ping_counts_as_life() {
    let pings = ["event: ping\ndata: {\"type\":\"ping\"}\n\n", ": keep-alive\n\n"].repeat(5);
    let pings = stream::iter(pings).then(|ping| async move {
        sleep(SILENCE.mul_f64(0.9)).await;
        frame(ping)
    });
    let rest = [
        "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    ];
    let frames = pings.chain(stream::iter(rest.map(frame))).boxed();
    let events = all(Protocol::Messages, frames).await;
    assert_eq!(events.last(), Some(&Ok(Event::End(Reason::Answered))));
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_its_end_is_cut_however_the_connection_ends() {
    let message = |result: &Result<Event, Failure>| match result {
        Err(Failure::Cut { message }) => message.clone(),
        other => panic!("{other:?}"),
    };
    let closed = all(Protocol::Chat, stream::iter([frame(HELLO)]).boxed()).await;
    assert_eq!(closed[0], text("hello"));
    assert_eq!(message(&closed[1]), "the connection ended");

    let reset = io::Error::new(io::ErrorKind::ConnectionReset, "reset at sk-planted-0123456789");
    let frames = stream::iter([frame(HELLO), Err(reset), frame(STOP)]).boxed();
    let broken = all(Protocol::Chat, frames).await;
    assert_eq!(broken.len(), 2);
    assert_eq!(message(&broken[1]), "reset at [REDACTED:known-secret]");

    let other = all(Protocol::Gemini, stream::iter([frame(STOP)]).boxed()).await;
    assert_eq!(message(&other[0]), "the connection ended (2 unknown events)");
}

#[tokio::test(start_paused = true)]
async fn nothing_comes_after_the_end() {
    let frames = stream::iter([frame(HELLO), frame(STOP), frame(HELLO)]).chain(stream::pending());
    let events = all(Protocol::Chat, frames.boxed()).await;
    assert_eq!(events[0], text("hello"));
    assert_eq!(events.last(), Some(&Ok(Event::End(Reason::Answered))));
    assert_eq!(events.iter().filter(|event| **event == events[0]).count(), 1);
    // Neither where it came in the same piece.
    let piece = format!("{STOP}{HELLO}");
    let events = all(Protocol::Chat, stream::iter([frame(&piece)]).boxed()).await;
    assert_eq!(events.last(), Some(&Ok(Event::End(Reason::Answered))));
}

/// docs/MODELS.md, Anthropic: overload is also an `error` event inside a stream with status 200.
#[tokio::test(start_paused = true)]
async fn an_error_in_the_stream_is_its_failure() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":\
        {\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let begun = "data: {\"type\":\"content_block_delta\",\"index\":0,\
        \"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n";
    let frames = stream::iter([begun, overloaded, begun].map(frame)).boxed();
    let failure = Failure::Overloaded { status: 529, after: None, message: "Overloaded".into() };
    assert_eq!(all(Protocol::Messages, frames).await, [text("hello"), Err(failure)]);

    let classes = [
        (Protocol::Chat, r#"{"error":{"code":503,"message":"busy"}}"#, "overloaded"),
        (Protocol::Chat, r#"{"error":"boom"}"#, "server"),
        (
            Protocol::Chat,
            r#"{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}"#,
            "overloaded",
        ),
        (Protocol::Gemini, r#"{"error":{"code":429,"message":"slow"}}"#, "rate_limited"),
        (
            Protocol::Responses,
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"x"}}}"#,
            "rate_limited",
        ),
        (
            Protocol::Responses,
            r#"{"type":"error","code":"context_length_exceeded","message":"x"}"#,
            "context_length",
        ),
    ];
    for (protocol, data, class) in classes {
        let frames = stream::iter([frame(&format!("data: {data}\n\n"))]).boxed();
        let failures: Vec<&str> = all(protocol, frames)
            .await
            .iter()
            .filter_map(|result| result.as_ref().err().map(Failure::class))
            .collect();
        assert_eq!(failures, [class], "{data}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_ends_the_stream_at_once() {
    let cancel = Cancel::new();
    let frames = stream::iter([frame(HELLO)]).chain(stream::pending()).boxed();
    let mut events = until(cancel.clone(), of(Protocol::Chat, frames));
    assert_eq!(events.next().await, Some(text("hello")));
    let begun = Instant::now();
    cancel.cancel();
    assert_eq!(events.next().await, Some(Err(Failure::Cancelled)));
    assert_eq!(events.next().await, None);
    assert!(begun.elapsed().is_zero());
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_bounds_is_given_up() {
    let piece = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
        "x".repeat(1 << 20)
    );
    let frames = stream::repeat(piece).map(|piece| frame(&piece)).boxed();
    let mut events = of(Protocol::Chat, frames);
    let (mut count, mut last) = (0, None);
    while let Some(event) = events.next().await {
        (count, last) = (count + 1, Some(event.map_err(|failure| failure.class())));
    }
    assert_eq!((count, last), (64, Some(Err("unreadable"))));
}
