//! The Responses API against what was recorded of it, and what it refuses.

use super::*;
use crate::dialect::Dialect;
use crate::turn::USAGE;

fn asked() -> Asked {
    Asked::read("/v1/responses", br#"{"model":"gpt-5"}"#, Dialect::OPENAI, 7).unwrap()
}

fn data(events: &Events) -> Vec<Value> {
    let data = events.list.iter().filter_map(|event| event.text.trim_end().split_once("\ndata: "));
    data.map(|(_, text)| serde_json::from_str(text).unwrap()).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    let types = events.iter().map(|event| event["type"].as_str().unwrap());
    types.map(|each| each.strip_prefix("response.").unwrap()).collect()
}

#[test]
fn a_stream_has_the_recorded_events_in_the_recorded_order() {
    let turn = Turn::empty()
        .and_reasoning("Calculating", Some("gAAAAABp"))
        .and_text("Got it")
        .and_call("get_weather", &json!({ "unit": "C" }))
        .in_pieces(6);
    let events = data(&events(&turn, &asked()));
    assert_eq!(
        types(&events),
        [
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed",
        ]
    );
    let numbers: Vec<u64> =
        events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..21).collect::<Vec<_>>());
    assert_eq!(
        events[19]["item"],
        json!({
            "id": "fc_mock_7_2", "type": "function_call", "status": "completed",
            "arguments": "{\"unit\":\"C\"}", "call_id": "call_mock_7_2", "name": "get_weather",
        })
    );
    assert_eq!(events[8]["item"]["encrypted_content"], "gAAAAABp");
    let response = &events[20]["response"];
    assert_eq!(response["output"].as_array().unwrap().len(), 3);
    assert_eq!(response["usage"]["total_tokens"], USAGE.input_tokens + USAGE.output_tokens);
}

#[test]
fn a_stream_begins_with_created_and_ends_with_one_terminal_event() {
    for (turn, last, status) in [
        (Turn::text("x"), "completed", "completed"),
        (Turn::text("x").and_text("y"), "completed", "completed"),
        (Turn::empty(), "completed", "completed"),
        (Turn::empty().and(Part::Refusal("no".into())), "completed", "completed"),
        (Turn::empty().ending(End::Length), "incomplete", "incomplete"),
        (Turn::text("x").ending(End::Filtered), "incomplete", "incomplete"),
    ] {
        let events = data(&events(&turn, &asked()));
        assert_eq!(types(&events)[0], "created");
        let terminal: Vec<&Value> =
            events.iter().filter(|event| event["type"] == format!("response.{last}")).collect();
        assert_eq!(terminal, [events.last().unwrap()], "{turn:?}");
        assert_eq!(events.last().unwrap()["response"]["status"], status);
    }
    let failed = data(&failed("server_error", "no", &asked()));
    assert_eq!(types(&failed), ["created", "in_progress", "failed"]);
}

#[test]
fn calls_and_results_must_be_in_pairs() {
    let call = json!({"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "x"});
    let said = |body: Value| {
        let error = refused(&body)?;
        Some((error.message.unwrap(), error.param.unwrap()))
    };
    let about = |text: &str| Some((text.to_owned(), "input".to_owned()));
    assert_eq!(said(json!({ "input": [call, output] })), None);
    assert_eq!(said(json!({ "input": "text" })), None);
    assert_eq!(
        said(json!({ "input": [call] })),
        about("No tool output found for function call a.")
    );
    assert_eq!(
        said(json!({ "input": [output] })),
        about("No tool call found for function call output with call_id a.")
    );
    assert_eq!(said(json!({ "input": [output], "previous_response_id": "resp_1" })), None);
}
