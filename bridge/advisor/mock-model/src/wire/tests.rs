//! All protocols: a reader gets back what the script says, however the stream is split.

mod reader;

use serde_json::json;

use super::*;
use crate::delivery::Then;
use crate::dialect::Dialect;
use crate::turn::Usage;
use reader::{Heard, read};

const PROTOCOLS: [Protocol; 4] =
    [Protocol::Responses, Protocol::Messages, Protocol::Chat, Protocol::Gemini];

/// Each dialect of `chat`, and each other protocol once.
fn everyone() -> Vec<Asked> {
    let chat = [
        Dialect::OPENAI,
        Dialect::DEEPSEEK,
        Dialect::ALIBABA,
        Dialect::MOONSHOT,
        Dialect::XAI,
        Dialect::ZHIPU,
        Dialect::CUSTOM,
    ];
    let mut asked: Vec<Asked> = chat.map(|each| Asked::bare(Protocol::Chat, each)).into();
    for each in &mut asked {
        each.body = json!({ "stream_options": { "include_usage": true } });
    }
    for protocol in [Protocol::Responses, Protocol::Messages, Protocol::Gemini] {
        asked.push(Asked::bare(protocol, Dialect::OPENAI));
    }
    asked
}

/// Reasoning, text with characters of several bytes, two calls side by side.
fn rich() -> Turn {
    let usage = Usage {
        input_tokens: 500,
        cached_input_tokens: 320,
        output_tokens: 222,
        reasoning_tokens: 196,
    };
    Turn::empty()
        .and_reasoning("先看一看。", Some("c2lnbmF0dXJl"))
        .and_text("我先读文件 🐉。")
        .and_call("readFile", &json!({ "filePath": "源/a.rs" }))
        .and_call("grep", &json!({ "pattern": "\"龙\"", "path": "." }))
        .in_pieces(2)
        .costing(usage)
}

/// The bytes of an answer that goes well.
fn bytes(reply: Reply, asked: &Asked) -> Vec<u8> {
    let Kind::Body { sent, .. } = answer(reply, asked).kind else { panic!("no body") };
    assert_eq!(sent.then, Then::Complete);
    sent.parts.iter().flat_map(|(_, part)| part.to_vec()).collect()
}

#[test]
fn what_the_turn_says_comes_out_again_in_every_protocol_and_dialect() {
    for asked in everyone() {
        let text = String::from_utf8(bytes(rich().into(), &asked)).unwrap();
        assert_eq!(read(&text, &asked), Heard::of(&rich(), &asked), "{asked:?}");
    }
}

#[test]
fn a_byte_at_a_time_is_the_same_stream() {
    for asked in everyone() {
        let whole = bytes(rich().into(), &asked);
        for size in [1, 7] {
            let reply = Reply::from(rich()).in_chunks(size);
            let Kind::Body { sent, .. } = answer(reply, &asked).kind else { panic!() };
            assert_eq!(sent.parts.len(), whole.len().div_ceil(size));
            let cut: Vec<u8> = sent.parts.iter().flat_map(|(_, part)| part.to_vec()).collect();
            assert_eq!(cut, whole, "{asked:?}");
        }
    }
}

#[test]
fn no_stream_cut_before_its_end_says_that_it_is_whole() {
    for asked in everyone() {
        let all = events(&rich(), &asked);
        assert!(all.before_end < all.list.len());
        for place in 0..=all.before_end {
            let reply = Reply::from(rich()).with(Fault::after(place, Trouble::Stop));
            let text = String::from_utf8(bytes(reply, &asked)).unwrap();
            assert_eq!(read(&text, &asked).end, None, "{place} {asked:?}");
        }
    }
}

#[test]
fn a_whole_answer_says_what_the_stream_says() {
    for mut asked in everyone() {
        let streamed = read(&String::from_utf8(bytes(rich().into(), &asked)).unwrap(), &asked);
        asked.form = Form::Whole;
        let text = String::from_utf8(bytes(rich().into(), &asked)).unwrap();
        assert_eq!(reader::whole(&serde_json::from_str(&text).unwrap(), &asked), streamed);
    }
}

#[test]
fn gemini_without_alt_sse_sends_the_chunks_as_an_array() {
    let mut asked = Asked::bare(Protocol::Gemini, Dialect::OPENAI);
    let chunks = events(&rich(), &asked).list.len();
    asked.form = Form::Array;
    let text = bytes(rich().into(), &asked);
    let array: Vec<Value> = serde_json::from_slice(&text).unwrap();
    assert_eq!(array.len(), chunks);
}

#[test]
fn an_error_inside_a_stream_ends_it_in_the_protocol_s_words() {
    let overloaded = "The engine is currently overloaded, please try again later.";
    let unavailable = "The model is overloaded. Please try again later.";
    for (protocol, lines, expected) in [
        (
            Protocol::Responses,
            vec!["event: error", "event: response.failed"],
            json!({ "type": "error", "error": {
                "message": "Our servers are currently overloaded. Please try again later.",
                "type": "server_error", "param": null, "code": "server_is_overloaded",
            }}),
        ),
        (
            Protocol::Messages,
            vec!["event: error"],
            json!({ "type": "error", "error": {
                "type": "overloaded_error", "message": "Overloaded", "details": null,
            }}),
        ),
        (
            Protocol::Chat,
            vec![],
            json!({ "error": {
                "message": overloaded, "type": "server_error", "param": null, "code": null,
            }}),
        ),
        (
            Protocol::Gemini,
            vec![],
            json!({ "error": { "code": 503, "message": unavailable, "status": "UNAVAILABLE" } }),
        ),
    ] {
        let asked = Asked::bare(protocol, Dialect::OPENAI);
        let error = Trouble::Error(ErrorKind::Overloaded.into());
        let reply = Reply::from(rich()).with(Fault::after(1, error));
        let text = String::from_utf8(bytes(reply, &asked)).unwrap();
        let rest = text.strip_prefix(events(&rich(), &asked).list[0].text.as_str()).unwrap();
        let names: Vec<&str> = rest.lines().filter(|line| line.starts_with("event: ")).collect();
        assert_eq!(names, lines);
        let first = rest.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
        assert_eq!(serde_json::from_str::<Value>(first).unwrap(), expected);
    }
}

#[test]
fn each_kind_of_error_has_a_status_and_a_message_in_every_protocol() {
    for (kind, statuses) in ErrorKind::ALL.into_iter().zip([
        [400, 400, 400, 400],
        [400, 400, 400, 400],
        [401, 401, 401, 400],
        [403, 403, 403, 403],
        [429, 400, 429, 429],
        [404, 404, 404, 404],
        [400, 400, 400, 400],
        [429, 429, 429, 429],
        [503, 529, 503, 503],
        [500, 500, 500, 500],
    ]) {
        for (protocol, expected) in PROTOCOLS.into_iter().zip(statuses) {
            let asked = Asked::bare(protocol, Dialect::OPENAI);
            let (status, headers, body) = error(&kind.into(), &asked);
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!((status, headers), (expected, Vec::new()), "{kind:?} {protocol:?}");
            assert!(!body["error"]["message"].as_str().unwrap().is_empty());
        }
    }
}

#[test]
fn a_time_to_wait_is_a_header_and_gemini_says_it_in_the_body() {
    let limited =
        ProviderError::from(ErrorKind::RateLimited).retry_after(Duration::from_millis(34_400));
    for protocol in PROTOCOLS {
        let asked = Asked::bare(protocol, Dialect::OPENAI);
        let (_, headers, body) = error(&limited, &asked);
        if protocol == Protocol::Gemini {
            assert!(body.contains(r#""retryDelay":"34.4s""#), "{body}");
            assert_eq!(headers, []);
        } else {
            assert_eq!(headers, [("retry-after".to_owned(), "35".to_owned())]);
        }
    }
}

#[test]
fn a_failed_stream_is_an_event_in_each_protocol() {
    for (protocol, sign) in PROTOCOLS.into_iter().zip([
        "\"type\":\"response.failed\"",
        "event: error\n",
        "data: {\"error\":",
        "data: {\"error\":",
    ]) {
        let asked = Asked::bare(protocol, Dialect::OPENAI);
        let failed = Reply::Failed { code: "server_error".into(), message: "scripted".into() };
        let text = String::from_utf8(bytes(failed, &asked)).unwrap();
        assert!(text.contains(sign) && text.contains("scripted"), "{text}");
        assert_eq!(read(&text, &asked).end, None);
    }
}

#[test]
fn beats_come_before_the_reply_each_after_its_pause() {
    let every = Duration::from_millis(4);
    for asked in everyone() {
        for beat in [Beat::Delta, Beat::Reasoning, Beat::KeepAlive, Beat::Comment] {
            let reply = Reply::Text("x".into()).paced(beat, every, 2);
            let Kind::Body { sent, .. } = answer(reply, &asked).kind else { panic!() };
            let hidden = asked.protocol == Protocol::Chat
                && beat == Beat::Reasoning
                && asked.dialect.reasoning == crate::dialect::Reasoning::Hidden;
            let waited = sent.parts.iter().filter(|(pause, _)| *pause == every).count();
            assert_eq!((waited, sent.then), (if hidden { 0 } else { 2 }, Then::Complete));
            let all: Vec<u8> = sent.parts.iter().flat_map(|(_, part)| part.to_vec()).collect();
            let heard = read(&String::from_utf8(all).unwrap(), &asked);
            let said = if beat == Beat::Delta { "..x" } else { "x" };
            assert_eq!((heard.text.as_str(), heard.end.is_some()), (said, true), "{beat:?}");
        }
        for hang in [Hang::AfterHeaders, Hang::BeforeHeaders] {
            let reply = Reply::Hang(hang).paced(Beat::KeepAlive, every, 1);
            let Kind::Body { sent, .. } = answer(reply, &asked).kind else { panic!() };
            let waited = sent.parts.iter().filter(|(pause, _)| *pause == every).count();
            assert_eq!((waited, sent.then), (1, Then::Silence), "{hang:?}");
        }
    }
}

#[test]
fn delays_add_up_and_do_not_change_the_reply() {
    let late = Reply::Hang(Hang::BeforeHeaders)
        .after(Duration::from_millis(2))
        .after(Duration::from_millis(3));
    let headers = Vec::new();
    let expected = Answer { delay: Duration::from_millis(5), headers, kind: Kind::Silence };
    assert_eq!(answer(late, &Asked::bare(Protocol::Chat, Dialect::OPENAI)), expected);
}

#[test]
fn advice_is_given_in_every_protocol_to_the_question_in_its_body() {
    let question = json!({
        "problem": "p", "candidate_plans": [{ "name": "outbox" }], "phase": "initial",
    });
    let text = question.to_string();
    for (path, body) in [
        ("/v1/responses", json!({ "input": [{ "role": "user", "content": [{ "text": text }] }] })),
        ("/v1/messages", json!({ "messages": [{ "role": "user", "content": text }] })),
        ("/v1/chat/completions", json!({ "messages": [{ "role": "user", "content": text }] })),
        ("/models/g:generateContent", json!({ "contents": [{ "parts": [{ "text": text }] }] })),
    ] {
        let asked = Asked::read(path, body.to_string().as_bytes(), Dialect::OPENAI, 1).unwrap();
        let answer = String::from_utf8(bytes(Reply::Advice, &asked)).unwrap();
        assert!(answer.contains("outbox") && answer.contains("Mock model"), "{path}: {answer}");
    }
}

#[test]
fn a_conversation_tells_its_answers_results_and_what_the_user_said() {
    let user = json!({ "role": "user", "content": "go" });
    let function = json!({ "name": "f", "arguments": "{}" });
    let part = |field: &str, value: Value| json!({ "parts": [{ field: value }] });
    let role = |role: &str, mut content: Value| {
        content["role"] = json!(role);
        content
    };
    for (protocol, body) in [
        (
            Protocol::Responses,
            json!({ "input": [
                { "role": "user", "content": [{ "text": "go" }] },
                { "type": "reasoning" },
                { "type": "function_call", "call_id": "a" },
                { "type": "function_call_output", "call_id": "a", "output": "done" },
                { "role": "assistant", "content": [] },
            ]}),
        ),
        (
            Protocol::Messages,
            json!({ "messages": [
                user,
                { "role": "assistant", "content": [{ "type": "tool_use", "id": "a" }] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "a", "content": [{ "text": "done" }] },
                ]},
                { "role": "assistant", "content": "x" },
            ]}),
        ),
        (
            Protocol::Chat,
            json!({ "messages": [
                user,
                { "role": "assistant", "tool_calls": [{ "id": "a", "function": function }] },
                { "role": "tool", "tool_call_id": "a", "content": "done" },
                { "role": "assistant", "content": "x" },
            ]}),
        ),
        (
            Protocol::Gemini,
            json!({ "contents": [
                role("user", part("text", json!("go"))),
                role("model", part("functionCall", json!({ "name": "f" }))),
                role("user", part("functionResponse", json!({ "response": { "output": "done" } }))),
                role("model", part("text", json!("x"))),
            ]}),
        ),
    ] {
        assert_eq!(answers(protocol, &body), 2, "{protocol:?}");
        assert_eq!(results(protocol, &body), ["done"], "{protocol:?}");
        assert_eq!(user_texts(protocol, &body)[0], "go", "{protocol:?}");
    }
}
