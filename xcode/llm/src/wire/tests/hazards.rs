//! What recordings of the providers show, one test for each (docs/MODELS.md).

use serde_json::{Map, json};

use super::{answer, events, sse};
use crate::arguments::Arguments;
use crate::catalogue::Protocol;
use crate::event::{Reason, Usage};
use crate::id::Provider;
use crate::message::{Opaque, Part};

type Kind = (Protocol, Provider);

const ANTHROPIC: Kind = (Protocol::Messages, Provider::Anthropic);
const CHAT: Kind = (Protocol::Chat, Provider::Custom);
const GEMINI: Kind = (Protocol::Gemini, Provider::Google);

fn whole(kind: Kind, data: &[&str]) -> crate::answer::Answer {
    let (events, _) = events(kind, sse(data).as_bytes(), true);
    answer(&events).unwrap_or_else(|| panic!("{events:?}"))
}

/// A tool without arguments sends one empty `input_json_delta`: empty text is `{}`.
#[test]
fn anthropic_a_tool_without_arguments_gets_an_empty_object() {
    let begin = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"listDir","input":{}}}"#;
    let empty = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}"#;
    let said = whole(ANTHROPIC, &[begin, empty, stop, end, r#"{"type":"message_stop"}"#]);
    let [Part::Call(asked)] = &said.parts[..] else { panic!("{said:?}") };
    assert_eq!(asked.arguments, Arguments::Object(Map::new()));
}

/// Thinking goes back unchanged: the whole block with its signature; a hidden one with its data.
#[test]
fn anthropic_thinking_is_kept_whole() {
    let said = whole(
        ANTHROPIC,
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" see"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"ab"}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"cd"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"xyz"}}"#,
            r#"{"type":"content_block_stop","index":1}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
            r#"{"type":"message_stop"}"#,
        ],
    );
    let opaque = |value| Some(Opaque { provider: Provider::Anthropic, value });
    let thinking = json!({"type": "thinking", "thinking": "Let me see", "signature": "abcd"});
    let hidden = json!({"type": "redacted_thinking", "data": "xyz"});
    let expected = [
        Part::Reasoning { shown: "Let me see".into(), opaque: opaque(thinking) },
        Part::Reasoning { shown: String::new(), opaque: opaque(hidden) },
    ];
    assert_eq!(said.parts, expected);
}

/// The four places: a chunk without choices, the chunk with the reason, the choice, every chunk.
#[test]
fn usage_is_read_from_each_of_its_four_places() {
    let usage = r#""usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13}"#;
    let stop = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let expected = Usage { input: 9, output: 4, ..Usage::default() };
    let last = format!(r#"{{"choices":[],{usage}}}"#);
    assert_eq!(whole(CHAT, &[stop, &last, "[DONE]"]).usage, expected);
    let beside = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"stop"}}],{usage}}}"#);
    assert_eq!(whole(CHAT, &[&beside, "[DONE]"]).usage, expected);
    let within = format!(r#"{{"choices":[{{"delta":{{}},"finish_reason":"stop",{usage}}}]}}"#);
    assert_eq!(whole(CHAT, &[&within, "[DONE]"]).usage, expected);
    let early = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":1}}"#;
    let late = r#"{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":3,"thoughtsTokenCount":1}}"#;
    let counted = Usage { reasoning: 1, ..expected };
    assert_eq!(whole(GEMINI, &[early, late]).usage, counted);
}

/// 26 tokens of answer and 196 of reasoning, 513 in all: there reasoning is not within the answer.
#[test]
fn xai_reasoning_is_counted_beside_the_answer_and_elsewhere_within() {
    let of = |total: u64| {
        let usage = json!({
            "prompt_tokens": 291, "completion_tokens": 226, "total_tokens": total,
            "completion_tokens_details": {"reasoning_tokens": 196},
        });
        let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage});
        whole(CHAT, &[&stop.to_string(), "[DONE]"]).usage.output
    };
    assert_eq!(of(291 + 226), 226);
    assert_eq!(of(291 + 226 + 196), 422);
}

/// A signature may stand on an empty text part, and the reason may come in a chunk of its own.
#[test]
fn gemini_a_signature_of_an_empty_text_is_kept_apart() {
    let text = r#"{"candidates":[{"content":{"parts":[{"text":"Done."}]}}]}"#;
    let signed =
        r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"c2ln"}]}}]}"#;
    let stop = r#"{"candidates":[{"content":{},"finishReason":"STOP"}]}"#;
    let said = whole(GEMINI, &[text, signed, stop]);
    let opaque = Some(Opaque { provider: Provider::Google, value: json!("c2ln") });
    let expected = [
        Part::Text { text: "Done.".into(), opaque: None },
        Part::Text { text: String::new(), opaque },
    ];
    assert_eq!((&said.parts[..], said.reason), (&expected[..], Reason::Answered));
}

/// docs/MODELS.md, hazard 5: the reason is `STOP` also where calls came.
#[test]
fn hazard_5_gemini_says_stop_and_calls() {
    let call = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"listDir"}}]},"finishReason":"STOP"}]}"#;
    let said = whole(GEMINI, &[call]);
    assert_eq!(said.reason, Reason::Calls);
    let [Part::Call(asked)] = &said.parts[..] else { panic!("{said:?}") };
    assert_eq!((&*asked.id, &asked.arguments), ("made_0", &Arguments::Object(Map::new())));
}

#[test]
fn a_prompt_that_a_filter_blocks_is_refused() {
    let said = whole(GEMINI, &[r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#]);
    assert_eq!((said.parts.len(), said.reason), (0, Reason::Refused));
    let filtered = r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#;
    assert_eq!(whole(CHAT, &[filtered, "[DONE]"]).reason, Reason::Refused);
}

/// A reason that is not known ends the answer all the same.
#[test]
fn each_reason_has_its_word() {
    let chat = |word: &str| {
        let stop = json!({"choices": [{"delta": {}, "finish_reason": word}]}).to_string();
        whole(CHAT, &[&stop, "[DONE]"]).reason
    };
    assert_eq!(chat("length"), Reason::Length);
    assert_eq!(chat("eos"), Reason::Unknown("eos".into()));
    let anthropic = |word: &str| {
        let stop = json!({"type": "message_delta", "delta": {"stop_reason": word}}).to_string();
        whole(ANTHROPIC, &[&stop, r#"{"type":"message_stop"}"#]).reason
    };
    assert_eq!(anthropic("max_tokens"), Reason::Length);
    assert_eq!(anthropic("refusal"), Reason::Refused);
    assert_eq!(anthropic("pause_turn"), Reason::Unknown("pause_turn".into()));
}
