//! The Messages API against what was recorded of it, and the client's own requests against it.

use super::*;
use crate::asked::Protocol;
use crate::dialect::Dialect;

fn asked() -> Asked {
    let body =
        json!({ "model": "claude-sonnet-4-5", "stream": true, "max_tokens": 1, "messages": [] });
    Asked::read("/v1/messages", body.to_string().as_bytes(), Dialect::OPENAI, 7).unwrap()
}

/// The data of the events; each must have its type as its name, too.
fn data(turn: &Turn) -> Vec<Value> {
    let events = events(turn, &asked());
    let read = |text: &str| {
        let (name, data) = text.split_once('\n').unwrap();
        let data: Value =
            serde_json::from_str(data.trim_end().strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name, format!("event: {}", data["type"].as_str().unwrap()));
        data
    };
    events.list.iter().map(|event| read(&event.text)).collect()
}

#[test]
fn a_call_without_arguments_is_the_recorded_stream() {
    let turn =
        Turn::text("I'll update the list.").in_pieces(12).and_call("updateIssueList", &json!({}));
    let usage = json!({
        "input_tokens": 90, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 10,
        "output_tokens": 1,
    });
    let mut end = usage.clone();
    end["output_tokens"] = json!(20);
    let expected = [
        json!({"type": "message_start", "message": {
            "id": "msg_000007", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
        }}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I'll update "}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "the list."}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {
            "type": "tool_use", "id": "toolu_00000701", "name": "updateIssueList", "input": {},
        }}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null}, "usage": end}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(data(&turn), expected);
}

#[test]
fn reasoning_is_a_signed_block_and_hidden_reasoning_a_redacted_one() {
    let turn = Turn::empty().and_reasoning("925 ÷ 5", Some("EqoB")).and_reasoning("", Some("Emwi"));
    let seen = &data(&turn)[1..9];
    let expected = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "925 ÷ 5"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "EqoB"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "Emwi"}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn malformed_arguments_go_out_as_they_are() {
    let turn = Turn::empty().and_raw_call("f", "{\"path\": ");
    assert_eq!(data(&turn)[4]["delta"]["partial_json"], "{\"path\": ");
}

#[test]
fn each_end_has_its_word() {
    let turn = Turn::text("x");
    for (turn, expected) in [
        (turn.clone(), "end_turn"),
        (turn.clone().and_call("f", &json!({})), "tool_use"),
        (turn.clone().ending(End::Length), "max_tokens"),
        (turn.clone().ending(End::Filtered), "refusal"),
        (turn.ending(End::Named("pause_turn".into())), "pause_turn"),
    ] {
        assert_eq!(message(&turn, &asked())["stop_reason"], expected);
    }
}

fn said(messages: Value) -> Option<String> {
    refused(&json!({ "max_tokens": 100, "messages": messages })).and_then(|error| error.message)
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "f", "input": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "x"})
}

#[test]
fn calls_and_results_must_be_in_pairs() {
    let user = json!({"role": "user", "content": "go"});
    let calls = json!({"role": "assistant", "content": [call("a"), call("b")]});
    let both = json!({"role": "user", "content": [result("a"), result("b"), {"type": "text", "text": "and"}]});
    let without = |ids: &str| {
        Some(format!(
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: \
             {ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next \
             message."
        ))
    };
    let unexpected = |place: &str, id: &str| {
        Some(format!(
            "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
             `tool_result` block must have a corresponding `tool_use` block in the previous message."
        ))
    };
    for (messages, expected) in [
        (json!([user]), None),
        (json!([user, calls, both]), None),
        (json!([user, calls, {"role": "system", "content": "note"}, both]), None),
        (json!([user, calls]), without("a, b")),
        (json!([user, calls, {"role": "user", "content": [result("b")]}]), without("a")),
        (json!([user, calls, {"role": "assistant", "content": "x"}, both]), without("a, b")),
        // The results of a step belong into one message.
        (
            json!([user, calls, {"role": "user", "content": [result("a")]}, {"role": "user", "content": [result("b")]}]),
            without("b"),
        ),
        (
            json!([{"role": "user", "content": [result("a")]}]),
            unexpected("messages.0.content.0", "a"),
        ),
        (json!([user, calls, both, both]), unexpected("messages.3.content.0", "a")),
        (
            json!([user, calls, {"role": "user", "content": [result("a"), result("b"), result("a")]}]),
            Some(
                "messages.2.content.2: each tool_use must have a single result. Found multiple \
                 `tool_result` blocks with id: a"
                    .to_owned(),
            ),
        ),
        (
            json!([user, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "input": "{"}]}]),
            Some(
                "messages.1.content.0.tool_use.input: Input should be a valid dictionary"
                    .to_owned(),
            ),
        ),
    ] {
        assert_eq!(said(messages.clone()), expected, "{messages}");
    }
    let no_limit = refused(&json!({ "messages": [user] })).unwrap();
    assert_eq!(no_limit.message.as_deref(), Some("max_tokens: Field required"));
}

#[test]
fn results_stand_first_and_thinking_comes_back_signed() {
    let user = json!({"role": "user", "content": "go"});
    let text = json!({"type": "text", "text": "and"});
    let late = json!([
        user,
        {"role": "assistant", "content": [call("a")]},
        {"role": "user", "content": [text, result("a")]},
    ]);
    let message = said(late).unwrap();
    assert!(message.starts_with("messages.1: `tool_use` ids were found without"), "{message}");

    let thinking = |signature: Value| {
        let thinking = json!({"type": "thinking", "thinking": "x", "signature": signature});
        said(json!([user, {"role": "assistant", "content": [thinking, text]}, user]))
    };
    let expected = "messages.1.content.0.thinking.signature: Field required";
    assert_eq!(thinking(Value::Null).as_deref(), Some(expected));
    assert_eq!(thinking(json!("EqoB")), None);
}

#[test]
fn four_breakpoints_of_the_cache_are_taken_and_five_are_not() {
    let mark = json!({"type": "ephemeral"});
    let block = json!({"type": "text", "text": "x", "cache_control": mark});
    let body = |count: usize| {
        json!({
            "max_tokens": 1,
            "system": [block],
            "tools": [{"name": "f", "input_schema": {}, "cache_control": mark}],
            "messages": [{"role": "user", "content": vec![block.clone(); count]}],
        })
    };
    assert_eq!(refused(&body(2)), None);
    let expected = "A maximum of 4 blocks with cache_control may be provided. Found 5.";
    assert_eq!(refused(&body(3)).unwrap().message.as_deref(), Some(expected));
}

#[test]
fn a_conversation_as_the_real_client_sends_it_is_taken() {
    // Claude Code 2.1.197: a listing as a system message, a result with a reminder behind it.
    let messages = json!([
        {"role": "user", "content": [{"type": "text", "text": "(context)"}, {"type": "text", "text": "go"}]},
        {"role": "system", "content": "(listing)"},
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}, call("toolu_000100")]},
        {"role": "user", "content": [
            {"type": "tool_result", "content": "DENY-REASON", "is_error": true, "tool_use_id": "toolu_000100"},
            {"type": "text", "text": "(reminder)"},
        ]},
        {"role": "assistant", "content": [call("toolu_000200")]},
        {"role": "user", "content": [result("toolu_000200")]},
    ]);
    assert_eq!(said(messages), None);
}

#[test]
fn an_error_has_the_recorded_body() {
    let (status, body) = error(&ErrorKind::Overloaded.into(), &asked());
    let expected = json!({
        "type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"},
        "request_id": "req_000007",
    });
    assert_eq!((status, body), (529, expected));
    assert_eq!(asked().protocol, Protocol::Messages);
}
