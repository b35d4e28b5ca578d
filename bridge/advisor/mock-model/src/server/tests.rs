//! The server from outside, over real sockets.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::asked::Protocol;
use crate::fault::{Fault, Trouble};
use crate::provider_error::{ErrorKind, ProviderError};
use crate::reply::{Hang, Reply};
use crate::turn::Turn;

/// Well above what loopback needs, well below what a hang would take.
const LIMIT: Duration = Duration::from_secs(20);

/// Long enough for an answer to arrive if one were coming.
const SILENCE: Duration = Duration::from_millis(200);

async fn ask(mock: &MockModel) -> reqwest::Result<reqwest::Response> {
    let url = format!("{}/responses", mock.base_url());
    reqwest::Client::new().post(url).timeout(LIMIT).body("{}").send().await
}

#[tokio::test]
async fn a_sequence_is_followed_by_its_default_and_all_is_recorded() {
    let script = Script::sequence([Reply::Text("one".into())], Reply::error(500, "server", "no"));
    let mock = MockModel::local(script).await.unwrap();

    let first = ask(&mock).await.unwrap();
    assert_eq!(first.headers()["content-type"], "text/event-stream");
    assert!(first.headers().contains_key("x-mock-model"));
    assert!(first.text().await.unwrap().contains("\"text\":\"one\""));
    assert_eq!(ask(&mock).await.unwrap().status(), 500);
    assert_eq!(ask(&mock).await.unwrap().status(), 500);

    mock.set_script(Script::choose(|request| Reply::Status {
        code: 429,
        headers: vec![("retry-after".into(), request.body.len().to_string())],
        body: request.path.clone(),
    }));
    let chosen = ask(&mock).await.unwrap();
    assert_eq!(
        (chosen.status().as_u16(), &chosen.headers()["retry-after"]),
        (429, &"2".parse().unwrap())
    );
    assert_eq!(chosen.text().await.unwrap(), "/v1/responses");

    let paths: Vec<String> = mock.requests().into_iter().map(|each| each.path).collect();
    assert_eq!((paths, mock.request_count()), (vec!["/v1/responses".to_owned(); 4], 4));
}

#[tokio::test]
async fn every_reply_can_have_headers_beside_its_own() {
    let used = ("x-codex-primary-used-percent", "43");
    for (reply, status) in [(Reply::Advice, 200), (Reply::error(429, "server", "no"), 429)] {
        let mock = MockModel::local(reply.headed([used, ("no header", "x")])).await.unwrap();
        let answer = ask(&mock).await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.headers()[used.0] == used.1), (status, true));
        assert!(answer.headers().contains_key("content-type"));
    }
}

#[tokio::test]
async fn a_cut_stream_is_an_error_and_what_came_before_arrives() {
    let mock = MockModel::local(Reply::Cut).await.unwrap();
    let mut response = ask(&mock).await.unwrap();
    let first = response.chunk().await.unwrap().unwrap();
    assert!(first.starts_with(b"event: response.created"));
    response.chunk().await.unwrap_err();
}

#[tokio::test]
async fn a_hang_lasts_until_the_mock_model_is_dropped() {
    for hang in [Hang::BeforeHeaders, Hang::MidStream] {
        let mock = MockModel::local(Reply::Hang(hang)).await.unwrap();
        let whole = async { ask(&mock).await?.bytes().await };
        tokio::pin!(whole);
        assert!(tokio::time::timeout(SILENCE, &mut whole).await.is_err(), "{hang:?}");
        mock.task.abort();
        tokio::time::timeout(LIMIT, whole).await.unwrap().unwrap_err();
    }
}

#[tokio::test]
async fn models_are_listed_and_other_routes_refused() {
    let mock = MockModel::local(Reply::Empty).await.unwrap();
    let get = async |path: &str| {
        let url = format!("{}/{path}", mock.base_url());
        reqwest::get(url).await.unwrap().status().as_u16()
    };
    assert_eq!((get("models").await, get("responses").await, get("x").await), (200, 404, 404));
    let list = reqwest::get(format!("{}/v1beta/models", mock.origin())).await.unwrap();
    assert_eq!(list.text().await.unwrap(), r#"{"models":[{"name":"models/mock-model"}]}"#);
}

/// Route and smallest body of each protocol.
fn routes() -> [(Protocol, &'static str, serde_json::Value); 4] {
    let said = json!([{ "role": "user", "content": "go" }]);
    [
        (Protocol::Responses, "/v1/responses", json!({ "input": said })),
        (
            Protocol::Messages,
            "/v1/messages",
            json!({ "messages": said, "max_tokens": 9, "stream": true }),
        ),
        (
            Protocol::Chat,
            "/compatible-mode/v1/chat/completions",
            json!({ "messages": said, "stream": true }),
        ),
        (
            Protocol::Gemini,
            "/v1beta/models/g:streamGenerateContent?alt=sse",
            json!({ "contents": [{ "role": "user", "parts": [{ "text": "go" }] }] }),
        ),
    ]
}

async fn post(
    mock: &MockModel,
    path: &str,
    body: &serde_json::Value,
) -> reqwest::Result<reqwest::Response> {
    let url = format!("{}{path}", mock.origin());
    reqwest::Client::new().post(url).timeout(LIMIT).body(body.to_string()).send().await
}

fn turn() -> Turn {
    Turn::text("我先看。").and_call("readFile", &json!({ "path": "源.rs" })).in_pieces(2)
}

#[tokio::test]
async fn each_protocol_has_its_route_and_a_byte_at_a_time_is_the_same_answer() {
    let mock = MockModel::local(Reply::from(turn())).await.unwrap();
    for (protocol, path, body) in routes() {
        mock.set_script(Reply::from(turn()));
        let response = post(&mock, path, &body).await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(response.headers().contains_key("x-mock-model"));
        let number = mock.request_count();
        let asked = Asked::read(path, body.to_string().as_bytes(), Dialect::OPENAI, number);
        let expected = wire::events(&turn(), &asked.unwrap()).text();
        assert_eq!(response.text().await.unwrap(), expected);

        mock.set_script(Reply::from(turn()).in_chunks(1));
        let slow = post(&mock, path, &body).await.unwrap().text().await.unwrap();
        assert_eq!(slow.len(), expected.len());
        assert_eq!(mock.requests().last().unwrap().protocol(), Some(protocol));
    }
    assert_eq!(mock.refusals(), Vec::<String>::new());
}

#[tokio::test]
async fn a_cut_after_any_event_is_an_error_and_an_early_end_is_none() {
    let mock = MockModel::local(Reply::Empty).await.unwrap();
    for (_, path, body) in routes() {
        let asked = Asked::read(path, body.to_string().as_bytes(), Dialect::OPENAI, 1).unwrap();
        let events = wire::events(&turn(), &asked).list.len();
        for place in 0..=events {
            mock.set_script(Reply::from(turn()).with(Fault::after(place, Trouble::Cut)));
            let cut = async { post(&mock, path, &body).await?.bytes().await };
            cut.await.unwrap_err();
            mock.set_script(Reply::from(turn()).with(Fault::after(place, Trouble::Stop)));
            let stopped = post(&mock, path, &body).await.unwrap().text().await.unwrap();
            assert_eq!(stopped.matches("\n\n").count(), place, "{path}");
        }
    }
}

#[tokio::test]
async fn headers_come_before_a_late_body_and_events_before_a_silence() {
    let mock = MockModel::local(Reply::Empty).await.unwrap();
    for (_, path, body) in routes() {
        mock.set_script(Reply::from(turn()).with(Fault::after(0, Trouble::Pause(LIMIT))));
        let mut late = post(&mock, path, &body).await.unwrap();
        assert_eq!(late.status(), 200);
        assert!(tokio::time::timeout(SILENCE, late.chunk()).await.is_err(), "{path}");

        mock.set_script(Reply::from(turn()).with(Fault::after(1, Trouble::Silence)));
        let mut silent = post(&mock, path, &body).await.unwrap();
        assert!(silent.chunk().await.unwrap().unwrap().ends_with(b"\n\n"));
        assert!(tokio::time::timeout(SILENCE, silent.chunk()).await.is_err(), "{path}");
    }
}

#[tokio::test]
async fn a_request_that_is_not_in_pairs_is_refused_told_and_costs_no_reply() {
    let script = Script::sequence([Reply::Text("one".into())], Reply::Empty);
    let mock = MockModel::local(script).await.unwrap();
    let lost = json!({ "messages": [{ "role": "tool", "tool_call_id": "a" }] });
    let path = "/v1/chat/completions";
    let refused = post(&mock, path, &lost).await.unwrap();
    assert_eq!(refused.status(), 400);
    let body: serde_json::Value = serde_json::from_slice(&refused.bytes().await.unwrap()).unwrap();
    assert_eq!(mock.refusals(), [body["error"]["message"].as_str().unwrap()]);

    let fine = json!({ "messages": [{ "role": "user", "content": "go" }] });
    let text = post(&mock, path, &fine).await.unwrap().text().await.unwrap();
    assert!(text.contains("\"content\":\"one\""), "{text}");
    assert_eq!((mock.request_count(), mock.refusals().len()), (2, 1));
}

#[tokio::test]
async fn an_error_says_when_to_come_back_and_a_dialect_can_change() {
    let mock = MockModel::local(Reply::Empty).await.unwrap();
    let limited =
        ProviderError::new(ErrorKind::RateLimited).retry_after(Duration::from_millis(1_500));
    mock.set_script(Reply::from(limited));
    for (protocol, path, body) in routes() {
        let response = post(&mock, path, &body).await.unwrap();
        assert_eq!(response.status(), 429);
        let header = response.headers().get("retry-after").map(|value| value.to_str().unwrap());
        assert_eq!(header, (protocol != Protocol::Gemini).then_some("2"));
    }
    let url = mock.origin();
    assert_eq!(reqwest::Client::new().head(url).send().await.unwrap().status(), 200);

    let (_, path, body) = &routes()[2];
    mock.set_script(Reply::from(Turn::empty().and_reasoning("Because.", None)));
    let hidden = post(&mock, path, body).await.unwrap().text().await.unwrap();
    mock.set_dialect(Dialect::DEEPSEEK);
    let shown = post(&mock, path, body).await.unwrap().text().await.unwrap();
    assert_eq!((hidden.contains("Because."), shown.contains("Because.")), (false, true));
}
