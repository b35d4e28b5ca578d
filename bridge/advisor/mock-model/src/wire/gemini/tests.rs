//! generateContent against what was recorded of it, and what it refuses.

use super::*;
use crate::dialect::Dialect;

fn asked(model: &str, body: Value) -> Asked {
    let path = format!("/v1beta/models/{model}:streamGenerateContent?alt=sse");
    Asked::read(&path, body.to_string().as_bytes(), Dialect::OPENAI, 7).unwrap()
}

fn chunks(turn: &Turn) -> Vec<Value> {
    let read =
        |text: &str| serde_json::from_str(text.trim_end().strip_prefix("data: ").unwrap()).unwrap();
    let asked = asked("gemini-3-pro", json!({}));
    events(turn, &asked).list.iter().map(|event| read(&event.text)).collect()
}

/// The parts of each chunk.
fn parts(turn: &Turn) -> Vec<Value> {
    chunks(turn).iter().map(|chunk| chunk["candidates"][0]["content"]["parts"].clone()).collect()
}

#[test]
fn a_call_is_the_recorded_stream() {
    let turn = Turn::empty()
        .and_reasoning("", Some("EqUC"))
        .and_call("weather", &json!({ "location": "SF" }));
    let frame = |tokens: u64, candidate: Value| {
        json!({
            "candidates": [candidate], "modelVersion": "gemini-3-pro",
            "responseId": "response-000007",
            "usageMetadata": {
                "promptTokenCount": 100, "cachedContentTokenCount": 10,
                "candidatesTokenCount": tokens, "thoughtsTokenCount": 5,
                "totalTokenCount": 105 + tokens,
            },
        })
    };
    let call = json!({
        "functionCall": {"name": "weather", "args": {"location": "SF"}}, "thoughtSignature": "EqUC",
    });
    let expected = [
        frame(1, json!({"content": {"parts": [call], "role": "model"}, "index": 0})),
        frame(
            15,
            json!({
                "content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": "STOP", "index": 0,
            }),
        ),
    ];
    assert_eq!(chunks(&turn), expected);
}

#[test]
fn the_first_of_side_by_side_calls_has_the_signature_and_a_text_has_it_behind() {
    let calls = Turn::empty()
        .and_reasoning("I think.", Some("A"))
        .and_call("f", &json!({}))
        .and_call("g", &json!({ "a": 1 }));
    assert_eq!(
        parts(&calls),
        [
            json!([{"text": "I think.", "thought": true}]),
            json!([{"functionCall": {"name": "f"}, "thoughtSignature": "A"}]),
            json!([{"functionCall": {"name": "g", "args": {"a": 1}}}]),
            json!([{"text": ""}]),
        ]
    );
    let text = Turn::empty().and_reasoning("", Some("B")).and_text("three");
    assert_eq!(
        parts(&text),
        [json!([{"text": "three"}]), json!([{"text": "", "thoughtSignature": "B"}]),]
    );
    let whole = response(&text, &asked("gemini-3-pro", json!({})));
    let expected = json!([{"text": "three", "thoughtSignature": "B"}]);
    assert_eq!(whole["candidates"][0]["content"]["parts"], expected);
}

#[test]
fn each_end_has_its_word() {
    for (end, expected) in [
        (End::Done, "STOP"),
        (End::Length, "MAX_TOKENS"),
        (End::Filtered, "SAFETY"),
        (End::Named("MALFORMED_FUNCTION_CALL".into()), "MALFORMED_FUNCTION_CALL"),
    ] {
        let turn = Turn::text("x").ending(end);
        assert_eq!(chunks(&turn).pop().unwrap()["candidates"][0]["finishReason"], expected);
    }
}

fn said(model: &str, contents: Value, parameters: Value) -> Option<String> {
    let tools = json!([{"functionDeclarations": [{"name": "f", "parameters": parameters}]}]);
    refused(&asked(model, json!({ "contents": contents, "tools": tools })))?.message
}

#[test]
fn calls_and_results_must_be_in_pairs() {
    let user = json!({"role": "user", "parts": [{"text": "go"}]});
    let call = json!({"functionCall": {"name": "f", "args": {}}});
    let calls = json!({"role": "model", "parts": [call, call]});
    let results = |count: usize| {
        let result = json!({"functionResponse": {"name": "f", "response": {}}});
        json!({"role": "user", "parts": vec![result; count]})
    };
    let uneven = Some(
        "Please ensure that the number of function response parts is equal to the number of function \
         call parts of the function call turn."
            .to_owned(),
    );
    let lost = Some(
        "Please ensure that function response turn comes immediately after a function call turn."
            .to_owned(),
    );
    for (contents, expected) in [
        (json!([user]), None),
        (json!([user, calls, results(2)]), None),
        (json!([user, calls, results(2), calls, results(2)]), None),
        (json!([user, calls, results(1)]), uneven.clone()),
        (json!([user, calls, results(3)]), uneven.clone()),
        (json!([user, calls, user]), uneven.clone()),
        (json!([user, calls]), uneven),
        (json!([user, results(1)]), lost.clone()),
        (json!([user, calls, results(2), results(2)]), lost),
        (
            json!([]),
            Some("* GenerateContentRequest.contents: contents is not specified".to_owned()),
        ),
    ] {
        assert_eq!(said("gemini-2.5-pro", contents.clone(), json!({})), expected, "{contents}");
    }
}

#[test]
fn gemini_3_wants_the_signature_of_this_turn_back() {
    let user = json!({"role": "user", "parts": [{"text": "go"}]});
    let call = |signature: Value| {
        let second = json!({"functionCall": {"name": "g"}});
        json!({"role": "model", "parts": [
            {"functionCall": {"name": "f"}, "thoughtSignature": signature}, second,
        ]})
    };
    let result = json!({"functionResponse": {"name": "f", "response": {}}});
    let results = json!({"role": "user", "parts": [result, result]});
    let (signed, unsigned) = (call(json!("A")), call(Value::Null));
    for (model, contents, lost) in [
        ("gemini-3-pro", json!([user, signed, results]), false),
        ("gemini-3-pro", json!([user, unsigned, results]), true),
        ("gemini-3-pro", json!([user, unsigned, results, user]), false),
        ("gemini-3-pro", json!([user, signed, results, unsigned, results]), true),
        ("gemini-2.5-pro", json!([user, unsigned, results]), false),
    ] {
        let said = said(model, contents.clone(), json!({})).unwrap_or_default();
        assert_eq!(said.contains("missing a thought_signature"), lost, "{contents}: {said}");
    }
}

#[test]
fn schemas_may_use_only_the_words_it_knows() {
    let user = json!([{"role": "user", "parts": [{"text": "go"}]}]);
    let object = |property: Value| json!({"type": "object", "properties": {"const": property}});
    for (parameters, place) in [
        (object(json!({"type": "string", "description": "a name may be any word"})), None),
        (
            json!({"type": "object", "additionalProperties": false}),
            Some(("additionalProperties", "")),
        ),
        (json!({"oneOf": []}), Some(("oneOf", ""))),
        (object(json!({"$ref": "#/x"})), Some(("$ref", ".properties[0].value"))),
        (
            object(json!({"type": "array", "items": {"const": 1}})),
            Some(("const", ".properties[0].value.items")),
        ),
        (
            object(json!({"anyOf": [{}, {"allOf": []}]})),
            Some(("allOf", ".properties[0].value.any_of[1]")),
        ),
    ] {
        let expected = place.map(|(word, place)| {
            format!(
                "Invalid JSON payload received. Unknown name \"{word}\" at \
                 'tools[0].function_declarations[0].parameters{place}': Cannot find field."
            )
        });
        assert_eq!(
            said("gemini-2.5-pro", user.clone(), parameters.clone()),
            expected,
            "{parameters}"
        );
    }
}

#[test]
fn an_unknown_key_is_a_400_with_a_reason() {
    let (status, body) = error(&ErrorKind::Unauthorized.into(), &asked("g", json!({})));
    assert_eq!((status, &body["error"]["details"][0]["reason"]), (400, &json!("API_KEY_INVALID")));
}
