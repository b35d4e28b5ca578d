//! `GET /window/events`: what open pages are told.

use std::time::{Duration, Instant};

use reqwest::{Method, Response};
use serde_json::Value;
use tests::harness::{Daemon, send, wait_until_some};

use crate::fixture::{Browser, LIMIT, builder, daemon, started, token};

/// An open stream and what has come of it.
pub(crate) struct Stream {
    response: Response,
    text: String,
}

impl Stream {
    pub(crate) async fn open(browser: &Browser) -> Self {
        let request = browser.request(Method::GET, "/window/events");
        let response = request.header("sec-fetch-site", "same-origin").send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    /// The data of the next event; nothing at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let data = event.lines().find_map(|line| line.strip_prefix("data: "));
                let data = data.map(|data| serde_json::from_str(data).unwrap());
                self.text = rest.to_owned();
                if data.is_some() {
                    return data;
                }
                continue;
            }
            let chunk = tokio::time::timeout(LIMIT, self.response.chunk()).await.unwrap();
            self.text.push_str(&String::from_utf8_lossy(&chunk.ok()??));
        }
    }

    /// The next event of which this holds.
    pub(crate) async fn until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next().await.expect("the stream goes on");
            if holds(&event) {
                return event;
            }
        }
    }
}

#[tokio::test]
async fn an_open_page_is_told_of_a_run_from_its_begin_to_its_end() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let mut stream = Stream::open(&browser).await;
    let chunk = stream.response.chunk().await.unwrap().unwrap();
    stream.text = String::from_utf8_lossy(&chunk).into_owned();
    assert!(stream.text.contains("retry: 2000"), "{}", stream.text);
    assert!(stream.text.contains("event: now"), "{}", stream.text);
    assert!(!stream.text.contains("id:"), "nothing is replayed");
    let idle = stream.next().await.unwrap();
    assert_eq!((&idle["running"], &idle["runs"]), (&0.into(), &Value::Array(vec![])));

    let run = started(&daemon, "fake-codex: ok-after 1500").await;
    // The version is read first, so a run that begins or ends meanwhile shows one event before it counts.
    let is_newer =
        |event: &Value, than: &Value| event["version"].as_u64() > than["version"].as_u64();
    let begun = |event: &Value| is_newer(event, &idle) && event["runs"][0]["id"] == run.as_str();
    let going = stream.until(begun).await;
    let none = Value::Array(vec![]);
    let over = stream.until(|event| is_newer(event, &going) && event["runs"] == none).await;
    assert_eq!(over["running"], 0);
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let daemon = daemon().await;
    let (leaving, revoked) = (Browser::signed_in(&daemon).await, Browser::signed_in(&daemon).await);
    let mut streams = [Stream::open(&leaving).await, Stream::open(&revoked).await];
    for stream in &mut streams {
        stream.next().await.unwrap();
    }
    let token = token(&leaving.page("/").await, "/leave");
    leaving.post("/leave", &[("token", &token)]).await;
    // What was told before it left may still come.
    while streams[0].next().await.is_some() {}
    // The other one goes on until it is revoked.
    started(&daemon, "fake-codex: ok").await;
    assert!(streams[1].next().await.is_some());
    send(daemon.client().request(Method::DELETE, "/window/links")).await.unwrap();
    while streams[1].next().await.is_some() {}
    assert_eq!(revoked.get("/window/events").await.status, 401);
}

#[tokio::test]
async fn what_may_not_be_shown_is_not_told() {
    let daemon = builder().start().await.unwrap();
    let narrow = Browser::signed_in_by(&daemon, daemon.client()).await;
    let full = Browser::signed_in_by(&daemon, daemon.orchestrator()).await;
    let turn = serde_json::json!({
        "prompt": "fake-codex: hang", "workspace": daemon.folder().work(), "mode": "exec",
    });
    let asked = daemon.orchestrator().request(Method::POST, "/orchestrate");
    let answer = send(asked.header("prefer", "respond-async").json(&turn)).await.unwrap();
    let run = answer.body["run_id"].as_str().unwrap().to_owned();
    let mut told = Stream::open(&full).await;
    told.until(|event| event["runs"][0]["id"] == run.as_str()).await;
    let mut untold = Stream::open(&narrow).await;
    let event = untold.until(|event| event["running"] == 1).await;
    assert_eq!(event["runs"], Value::Array(vec![]));
    let cancelled = daemon.orchestrator().delete(&format!("/runs/{run}")).await.unwrap();
    assert_eq!(cancelled.status, 200);
}

/// How long `/healthz` takes; the slowest of a hundred.
async fn slowest(daemon: &Daemon) -> Duration {
    let mut slowest = Duration::ZERO;
    for _ in 0..100 {
        let asked = Instant::now();
        assert_eq!(daemon.client().get("/healthz").await.unwrap().status, 200);
        slowest = slowest.max(asked.elapsed());
    }
    slowest
}

#[tokio::test]
async fn streams_are_bounded_and_the_daemon_answers_beside_them() {
    let daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let run = started(&daemon, "fake-codex: hang").await;
    let mut streams = Vec::new();
    for _ in 0..256 {
        streams.push(Stream::open(&browser).await);
    }
    let refused = browser.get("/window/events").await;
    assert_eq!(refused.status, 503);
    // Far above what is promised, which is measured elsewhere: that nothing waits for the streams.
    assert!(slowest(&daemon).await < Duration::from_secs(5));
    for stream in &mut streams {
        stream.until(|event| event["runs"][0]["id"] == run.as_str()).await;
    }
    drop(streams);
    let free = wait_until_some(LIMIT, async || {
        let request = browser.request(Method::GET, "/window/events").send().await.ok()?;
        (request.status() == 200).then_some(())
    });
    assert!(free.await.is_some(), "places are given back");
    assert_eq!(daemon.client().delete(&format!("/runs/{run}")).await.unwrap().status, 200);
}

#[tokio::test]
async fn an_open_stream_does_not_delay_the_end_of_the_daemon() {
    let mut daemon = daemon().await;
    let browser = Browser::signed_in(&daemon).await;
    let mut stream = Stream::open(&browser).await;
    stream.next().await.unwrap();
    daemon.signal(rustix::process::Signal::TERM).unwrap();
    assert_eq!(stream.next().await, None);
    assert_eq!(daemon.exit(LIMIT).await.unwrap().code(), Some(0));
    assert!(!daemon.log().contains("connections had to be cut"), "{}", daemon.log());
}
