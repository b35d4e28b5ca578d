//! What holds for all four protocols.

mod bodies;
mod hazards;
mod streams;

use proptest::prelude::*;
use streams::{STREAMS, Stream};

use super::decoder;
use crate::answer::{Answer, Collector};
use crate::catalogue::Protocol;
use crate::event::Event;
use crate::id::Provider;
use crate::sse;

/// Everything that a stream says, and how much of it was skipped. `is_whole` is false for a stream
/// whose connection failed.
pub(super) fn events(
    (protocol, provider): (Protocol, Provider),
    bytes: &[u8],
    is_whole: bool,
) -> (Vec<Event>, usize) {
    let mut decoder = decoder(protocol, provider, "made");
    let (mut reader, mut out) = (sse::Reader::default(), Vec::new());
    for event in reader.push(bytes) {
        if decoder.read(&event, &mut out).is_err() {
            return (out, decoder.skipped());
        }
    }
    if is_whole {
        decoder.close(&mut out);
    }
    (out, decoder.skipped())
}

/// The answer of a stream; none if its end did not come.
pub(super) fn answer(events: &[Event]) -> Option<Answer> {
    let mut collector = Collector::default();
    events.iter().cloned().for_each(|event| collector.push(event));
    collector.finish()
}

/// A stream of events with these data.
pub(super) fn sse(data: &[&str]) -> String {
    data.iter().map(|data| format!("data: {data}\n\n")).collect()
}

const PROTOCOLS: [Protocol; 4] =
    [Protocol::Messages, Protocol::Chat, Protocol::Gemini, Protocol::Responses];

#[test]
fn every_provider_says_the_same_in_neutral_words() {
    for stream in STREAMS {
        let (events, skipped) = events(stream.kind, stream.text().as_bytes(), true);
        let answer = answer(&events).unwrap_or_else(|| panic!("{}: no end", stream.name));
        assert_eq!(skipped, 0, "{}: {events:?}", stream.name);
        stream.check(&answer);
    }
}

/// docs/MODELS.md, hazard 2: a stream that closes on the boundary of an event looks like success.
#[test]
fn hazard_2_no_cut_of_any_stream_is_an_answer_or_hands_out_a_call() {
    for Stream { name, kind, .. } in STREAMS {
        let text = STREAMS.iter().find(|stream| stream.name == *name).unwrap().text();
        let bytes = text.as_bytes();
        let whole = events(*kind, bytes, true).0;
        for at in 0..bytes.len() {
            let is_clean = kind.0 != Protocol::Gemini;
            let (cut, _) = events(*kind, &bytes[..at], is_clean);
            if cut == whole {
                // Only what follows the last event is missing.
                assert!(at + 4 > bytes.len(), "{name}: whole at {at} of {}", bytes.len());
                continue;
            }
            assert_eq!(answer(&cut), None, "{name}: cut at {at}");
            let ended = cut.iter().any(|event| matches!(event, Event::CallEnded { .. }));
            assert!(!ended, "{name}: a call of a stream that was cut at {at}");
        }
    }
}

/// Gemini marks no end: without a reason even a connection that ended well gives no answer.
#[test]
fn gemini_without_a_reason_is_no_answer() {
    let stream = STREAMS.iter().find(|stream| stream.name == "google").unwrap();
    for at in 0..stream.data.len() - 1 {
        let text = sse(&stream.data[..at]);
        assert_eq!(answer(&events(stream.kind, text.as_bytes(), true).0), None, "{at}");
    }
}

/// JSON of about the shapes that decoders look at.
fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let words = [
        "text",
        "tool_use",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "input_json_delta",
        "error",
        "response.output_item.added",
        "response.output_item.done",
        "response.completed",
        "function_call",
        "reasoning",
        "STOP",
        "stop",
        "",
        "{",
        "[DONE]",
    ];
    let names = [
        "type",
        "index",
        "content_block",
        "delta",
        "message",
        "usage",
        "error",
        "choices",
        "content",
        "tool_calls",
        "function",
        "id",
        "name",
        "arguments",
        "finish_reason",
        "candidates",
        "parts",
        "functionCall",
        "args",
        "thoughtSignature",
        "finishReason",
        "usageMetadata",
        "item",
        "output_index",
        "response",
        "input_tokens",
        "text",
        "thinking",
        "signature",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        proptest::sample::select(words.to_vec()).prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((proptest::sample::select(names.to_vec()), inner), 0..5)
                .prop_map(|members| {
                    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
                    Value::Object(members.collect())
                }),
        ]
    })
}

proptest! {
    #[test]
    fn no_json_makes_a_decoder_fail(values in proptest::collection::vec(value(), 0..8)) {
        let data: Vec<String> = values.iter().map(ToString::to_string).collect();
        let text: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        for protocol in PROTOCOLS {
            events((protocol, Provider::Custom), text.as_bytes(), true);
        }
    }

    #[test]
    fn no_bytes_make_a_decoder_fail(bytes: Vec<u8>) {
        for protocol in PROTOCOLS {
            events((protocol, Provider::Custom), &bytes, true);
        }
    }

    /// A byte of a real stream is another one.
    #[test]
    fn no_flipped_byte_makes_a_decoder_fail(which in 0..STREAMS.len(), at: prop::sample::Index, to: u8) {
        let mut bytes = STREAMS[which].text().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = to;
        events(STREAMS[which].kind, &bytes, true);
    }
}
