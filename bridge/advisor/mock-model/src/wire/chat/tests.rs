//! Chat Completions against what was recorded of each provider, and what they refuse.

use super::*;
use crate::dialect::{Dialect, Ids, Index, Pieces};
use crate::provider_error::ErrorKind;

fn asked(dialect: Dialect, body: Value) -> Asked {
    Asked::read("/v1/chat/completions", body.to_string().as_bytes(), dialect, 7).unwrap()
}

/// The data of the chunks, the last being `[DONE]`.
fn chunks(turn: &Turn, dialect: Dialect) -> Vec<Value> {
    let asked = asked(dialect, json!({ "model": "m", "stream": true }));
    let mut texts: Vec<String> = events(turn, &asked)
        .list
        .iter()
        .map(|event| event.text.trim_end().strip_prefix("data: ").unwrap().to_owned())
        .collect();
    assert_eq!(texts.pop().unwrap(), "[DONE]");
    texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// The lists of calls of the chunks that have one.
fn calls(turn: &Turn, dialect: Dialect) -> Vec<Value> {
    let chunks = chunks(turn, dialect).into_iter();
    let lists = chunks.map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].clone());
    lists.filter(|list| !list.is_null()).collect()
}

fn weather() -> Turn {
    Turn::call("weather", &json!({ "location": "SF" })).in_pieces(9)
}

#[test]
fn openai_sends_a_text_as_recorded() {
    let frame = |delta: Value, reason: Value| {
        json!({
            "id": "chatcmpl-000007", "object": "chat.completion.chunk", "created": CREATED,
            "model": "m", "system_fingerprint": "fp_mock", "usage": null,
            "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": reason}],
        })
    };
    let expected = [
        frame(json!({"role": "assistant", "content": "", "refusal": null}), Value::Null),
        frame(json!({"content": "**"}), Value::Null),
        frame(json!({"content": "Ho"}), Value::Null),
        frame(json!({}), json!("stop")),
    ];
    assert_eq!(chunks(&Turn::text("**Ho").in_pieces(2), Dialect::OPENAI), expected);
}

#[test]
fn openai_tells_the_tokens_only_if_asked() {
    let body = json!({ "model": "m", "stream": true, "stream_options": { "include_usage": true } });
    let text = events(&Turn::empty(), &asked(Dialect::OPENAI, body)).text();
    let last = text.trim_end().lines().rev().nth(2).unwrap();
    let chunk: Value = serde_json::from_str(last.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(chunk["choices"], json!([]));
    assert_eq!(chunk["usage"]["total_tokens"], 120);
    let silent = chunks(&Turn::empty(), Dialect::OPENAI);
    assert!(silent.iter().all(|chunk| chunk["usage"].is_null()), "{silent:?}");
}

#[test]
fn deepseek_reasons_aloud_cuts_calls_small_and_tells_tokens_with_the_end() {
    let turn =
        Turn::empty().and_reasoning("The", None).and_call("f", &json!({ "a": 1 })).in_pieces(3);
    let chunks = chunks(&turn, Dialect::DEEPSEEK);
    let deltas: Vec<&Value> = chunks.iter().map(|chunk| &chunk["choices"][0]["delta"]).collect();
    let function = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    assert_eq!(
        deltas,
        [
            &json!({"role": "assistant", "content": null, "reasoning_content": ""}),
            &json!({"content": null, "reasoning_content": "The"}),
            &json!({"tool_calls": [{"index": 0, "id": "call_00000700", "type": "function", "function": {"name": "f", "arguments": ""}}]}),
            &function("{\"a"),
            &function("\":1"),
            &function("}"),
            &json!({}),
        ]
    );
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(last["usage"]["prompt_cache_hit_tokens"], 10);
    assert_eq!(last["usage"]["prompt_cache_miss_tokens"], 90);
}

#[test]
fn alibaba_empties_the_id_of_later_pieces_and_ends_a_call_with_an_empty_one() {
    let later = |arguments: &str| json!([{"index": 0, "id": "", "type": "function", "function": {"arguments": arguments}}]);
    assert_eq!(
        calls(&weather(), Dialect::ALIBABA),
        [
            json!([{"index": 0, "id": "call_00000700", "type": "function", "function": {"name": "weather", "arguments": ""}}]),
            later("{\"locatio"),
            later("n\":\"SF\"}"),
            later(""),
        ]
    );
    let last = chunks(&weather(), Dialect::ALIBABA).pop().unwrap();
    assert_eq!((&last["choices"], &last["usage"]["prompt_tokens"]), (&json!([]), &json!(100)));
}

#[test]
fn moonshot_gives_no_index_and_tells_tokens_in_the_choice() {
    let turn = weather().and_call("f", &json!({}));
    let lists = calls(&turn, Dialect::MOONSHOT);
    let nothing = json!({"function": {"arguments": ""}});
    assert_eq!(lists[1], json!([{"function": {"arguments": "{\"locatio"}}]));
    assert_eq!(lists[4], json!([nothing, {"function": {"arguments": "{}"}}]));
    let last = chunks(&turn, Dialect::MOONSHOT).pop().unwrap();
    assert_eq!(last["choices"][0]["usage"]["total_tokens"], 120);
    assert_eq!(last["usage"], last["choices"][0]["usage"]);
}

#[test]
fn xai_sends_a_call_at_once_and_counts_reasoning_apart() {
    assert_eq!(
        calls(&weather(), Dialect::XAI),
        [json!([{
            "index": 0, "id": "call_00000700", "type": "function",
            "function": {"name": "weather", "arguments": "{\"location\":\"SF\"}"},
        }])]
    );
    // As recorded: 26 and 196 tokens, 513 in all.
    let recorded = crate::turn::Usage {
        input_tokens: 291,
        cached_input_tokens: 290,
        output_tokens: 222,
        reasoning_tokens: 196,
    };
    let last = chunks(&weather().costing(recorded), Dialect::XAI).pop().unwrap();
    let usage = &last["usage"];
    assert_eq!(
        (
            &usage["completion_tokens"],
            &usage["total_tokens"],
            &usage["completion_tokens_details"]["reasoning_tokens"]
        ),
        (&json!(26), &json!(513), &json!(196))
    );
}

#[test]
fn ids_may_be_empty_missing_or_everywhere_and_calls_may_take_turns() {
    let turn = Turn::call("f", &json!({})).and_call("g", &json!({}));
    let ids = |ids| {
        let lists = calls(&turn, Dialect { ids, ..Dialect::OPENAI });
        lists.into_iter().map(|list| list[0]["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(ids(Ids::Empty), [json!(""), Value::Null, json!(""), Value::Null]);
    assert_eq!(ids(Ids::Missing), [Value::Null, Value::Null, Value::Null, Value::Null]);
    let (f, g) = (json!("call_00000700"), json!("call_00000701"));
    assert_eq!(ids(Ids::Each), [f.clone(), f.clone(), g.clone(), g.clone()]);
    assert_eq!(ids(Ids::First), [f, Value::Null, g, Value::Null]);

    let turns = calls(&turn, Dialect { pieces: Pieces::Interleaved, ..Dialect::OPENAI });
    let order: Vec<u64> = turns.iter().map(|list| list[0]["index"].as_u64().unwrap()).collect();
    assert_eq!(order, [0, 1, 0, 1]);
    let unnumbered = Dialect { index: Index::Missing, ..Dialect::CUSTOM };
    assert_eq!(calls(&turn, unnumbered).last().unwrap().as_array().unwrap().len(), 2);
}

#[test]
fn reasoning_is_hidden_where_the_provider_hides_it() {
    let turn = Turn::empty().and_reasoning("secret", None).and_text("x");
    assert!(!events(&turn, &asked(Dialect::OPENAI, json!({}))).text().contains("secret"));
    assert!(events(&turn, &asked(Dialect::ZHIPU, json!({}))).text().contains("secret"));
}

fn said(dialect: Dialect, body: Value) -> Option<(String, Option<String>)> {
    let error = refused(&asked(dialect, body))?;
    Some((error.message.unwrap(), error.param))
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "x"})
}

#[test]
fn calls_and_results_must_be_in_pairs() {
    let user = json!({"role": "user", "content": "go"});
    let calls = json!({"role": "assistant", "content": null, "tool_calls": [call("a", "{}"), call("b", "{}")]});
    let without = |ids: &str, place: usize| {
        let text = format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to \
             each 'tool_call_id'. The following tool_call_ids did not have response messages: {ids}"
        );
        Some((text, Some(format!("messages.[{place}].role"))))
    };
    let lost = |place: usize| {
        let text = "Invalid parameter: messages with role 'tool' must be a response to a preceeding \
                    message with 'tool_calls'.";
        Some((text.to_owned(), Some(format!("messages.[{place}].role"))))
    };
    for (messages, expected) in [
        (json!([user]), None),
        (json!([user, calls, result("b"), result("a"), user]), None),
        (json!([user, calls]), without("a, b", 2)),
        (json!([user, calls, result("a"), user]), without("b", 3)),
        (json!([user, calls, calls]), without("a, b", 2)),
        (json!([user, result("a")]), lost(1)),
        (json!([user, calls, result("a"), result("b"), result("b")]), lost(4)),
    ] {
        let body = json!({ "model": "m", "messages": messages });
        assert_eq!(said(Dialect::OPENAI, body), expected, "{messages}");
    }
}

#[test]
fn single_providers_refuse_more() {
    let with = |arguments: &str, more: Value| {
        let mut message = json!({"role": "assistant", "tool_calls": [call("a", arguments)]});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([{"role": "user", "content": "go"}, message, result("a")])
    };
    let says = |dialect, body: Value, word: &str| {
        let said = said(dialect, body).map(|(message, _)| message).unwrap_or_default();
        assert!(
            if word.is_empty() { said.is_empty() } else { said.contains(word) },
            "{word}: {said}"
        );
    };
    let paired = with("{}", json!({}));
    for (model, word) in [("o3", "'max_tokens' is not supported"), ("gpt-4.1", "")] {
        let body = json!({ "model": model, "max_tokens": 5, "messages": paired });
        says(Dialect::OPENAI, body, word);
    }
    for (dialect, word) in [(Dialect::ALIBABA, "must be in JSON format"), (Dialect::OPENAI, "")] {
        says(dialect, json!({ "model": "qwen-max", "messages": with("{", json!({})) }), word);
    }
    let kimi = |more: Value, messages: &Value| {
        let mut body = json!({ "model": "kimi-k2.5", "messages": messages });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let lost = "reasoning_content is missing in assistant tool call message at index 1";
    let kept = with("{}", json!({"reasoning_content": "Because."}));
    says(Dialect::MOONSHOT, kimi(json!({}), &paired), lost);
    says(Dialect::MOONSHOT, kimi(json!({}), &kept), "");
    says(Dialect::MOONSHOT, kimi(json!({"temperature": 0.3}), &kept), "invalid temperature");
    says(Dialect::MOONSHOT, kimi(json!({"tool_choice": "required"}), &kept), "tool_choice");
    says(Dialect::MOONSHOT, json!({ "model": "moonshot-v1-128k", "messages": paired }), "");
}

#[test]
fn an_error_has_openai_s_body_and_the_provider_s_words() {
    let body = json!({ "model": "qwen-max" });
    let (status, error_body) =
        error(&ErrorKind::ContextLength.into(), &asked(Dialect::ALIBABA, body));
    assert_eq!(status, 400);
    assert_eq!(error_body["error"]["code"], "context_length_exceeded");
    let message = error_body["error"]["message"].as_str().unwrap();
    assert!(message.contains("Range of input length should be [1, 30720]"), "{message}");
}
