//! The server from outside, over real sockets.

use std::time::Duration;

use super::*;
use crate::reply::{Hang, Reply};

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
}
