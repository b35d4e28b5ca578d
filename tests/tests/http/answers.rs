//! The three modes of a response, the effect of a disconnecting caller, and finding a run again.

use std::path::Path;
use std::time::Duration;

use contract::failure::FailureCode;
use futures_util::StreamExt;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::harness::{Answer, Daemon, DaemonBuilder, send, wait_until, wait_until_some};

use crate::wire::LIMIT;

/// Nothing of a run may be alive this long after its caller has left; the promise.
const GONE: Duration = Duration::from_secs(2);

async fn daemon() -> Daemon {
    DaemonBuilder::with_fake_codex()
        .unwrap()
        .env("CODEX_BRIDGE_MAX_RUNNING", "1")
        .env("CODEX_BRIDGE_MAX_QUEUED", "1")
        .start()
        .await
        .unwrap()
}

/// A question whose answer the stand-in for Codex makes as told.
fn question(mode: &str) -> Value {
    json!({
        "problem": "Which queue?",
        "context": format!("fake-codex: {mode}"),
        "candidate_plans": [{ "name": "A", "description": "a table" }],
        "phase": "initial",
    })
}

fn ask(daemon: &Daemon, mode: &str) -> RequestBuilder {
    daemon.client().request(Method::POST, "/analyze").json(&question(mode))
}

async fn start(daemon: &Daemon, mode: &str) -> String {
    let answer = daemon.client().analyze_async(&question(mode)).await.unwrap();
    assert_eq!(answer.status, 202, "{:#}", answer.body);
    answer.body["run_id"].as_str().unwrap().to_owned()
}

async fn newest(daemon: &Daemon) -> Value {
    daemon.client().get("/runs?limit=1").await.unwrap().body["runs"][0].clone()
}

/// Waits until Codex is at work on the newest run.
async fn at_work(daemon: &Daemon) {
    let running = wait_until_some(LIMIT, async || {
        let run = newest(daemon).await;
        (run["state"] == "running" && !daemon.children().is_empty()).then_some(())
    });
    running.await.expect("a run is at work");
}

async fn is_cancelled(daemon: &Daemon) -> bool {
    let cancelled = async || (newest(daemon).await["state"] == "cancelled").then_some(());
    wait_until_some(LIMIT, cancelled).await.is_some()
}

/// `(id, event, data)` of each event in the text of a stream.
fn events(text: &str) -> Vec<(u64, String, Value)> {
    let block = |block: &str| {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let id = field("id: ")?.parse().unwrap();
        let data = serde_json::from_str(field("data: ")?).unwrap();
        Some((id, field("event: ")?.to_owned(), data))
    };
    text.split("\n\n").filter_map(block).collect()
}

fn text(answer: &Answer) -> &str {
    answer.body.as_str().expect("a text")
}

#[tokio::test]
async fn a_whole_answer_names_its_run() {
    let daemon = daemon().await;
    let answer = send(ask(&daemon, "ok")).await.unwrap();
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    assert_eq!(contract::schema::REPORT.violations(&answer.body), []);
    let path = answer.header("content-location").unwrap();
    assert_eq!(path, format!("/runs/{}", answer.body["meta"]["run_id"].as_str().unwrap()));
    let record = daemon.client().get(path).await.unwrap();
    assert_eq!(record.body["outcome"], answer.body);
}

#[tokio::test]
async fn a_stream_ends_with_the_report_and_can_be_replayed() {
    let daemon = daemon().await;
    let answer = send(ask(&daemon, "ok").header("accept", "text/event-stream")).await.unwrap();
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let seen = events(text(&answer));
    let ids: Vec<u64> = seen.iter().map(|(id, ..)| *id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>());
    let (_, last, report) = seen.last().unwrap();
    assert_eq!(last, "report");
    assert_eq!(contract::schema::REPORT.violations(report), []);

    let path = format!("{}/events", answer.header("content-location").unwrap());
    let replay = daemon.client().get(&path).await.unwrap();
    assert_eq!(events(text(&replay)), seen);
    let rest = daemon.client().request(Method::GET, &path).header("last-event-id", "2");
    assert_eq!(events(text(&send(rest).await.unwrap())), seen[2..]);
    let wrong = daemon.client().request(Method::GET, &path).header("last-event-id", "two");
    assert_eq!(send(wrong).await.unwrap().code(), Some(FailureCode::ContractViolation));
}

#[tokio::test]
async fn a_stream_says_a_failure_in_its_last_event() {
    let daemon = daemon().await;
    let stream = ask(&daemon, "exit1-auth").header("accept", "text/event-stream");
    let answer = send(stream).await.unwrap();
    assert_eq!(answer.status, 200, "the head went out before the failure");
    let seen = events(text(&answer));
    let (_, last, failure) = seen.last().unwrap();
    assert_eq!((last.as_str(), &failure["error"]["code"]), ("failure", &json!("auth")));
    let refused = daemon.client().request(Method::POST, "/analyze").json(&json!({}));
    let refused = send(refused.header("accept", "text/event-stream")).await.unwrap();
    assert_eq!(refused.code(), Some(FailureCode::ContractViolation), "before a stream, as JSON");
}

#[tokio::test]
async fn an_accepted_run_outlives_its_connection_and_is_picked_up() {
    let daemon = daemon().await;
    let request = ask(&daemon, "ok-after 300").header("prefer", "wait=5, respond-async");
    let answer = send(request).await.unwrap();
    assert_eq!(answer.status, 202);
    assert_eq!(answer.header("preference-applied"), Some("respond-async"));
    let path = answer.header("location").unwrap().to_owned();
    let now = daemon.client().get(&path).await.unwrap();
    assert_eq!((now.status, now.body.get("outcome")), (200, None));
    let done = daemon.client().get(&format!("{path}?wait=60")).await.unwrap();
    assert_eq!(done.body["run"]["state"], "succeeded", "{:#}", done.body);
    assert!(done.body["outcome"]["meta"].is_object());
}

#[tokio::test]
async fn a_caller_who_leaves_cancels_what_only_it_waits_for() {
    let daemon = daemon().await;
    for accept in ["application/json", "text/event-stream"] {
        let request = ask(&daemon, "hang-after-thread").header("accept", accept);
        let call = tokio::spawn(async move {
            let mut stream = request.send().await.unwrap().bytes_stream();
            while stream.next().await.is_some() {}
        });
        at_work(&daemon).await;
        call.abort();
        assert!(daemon.is_idle_within(GONE).await, "{accept}: {:?}", daemon.children());
        assert!(is_cancelled(&daemon).await, "{accept}");
    }
    let metrics = daemon.client().get("/metrics").await.unwrap();
    let line = "codex_bridge_requests_total{route=\"/analyze\",outcome=\"disconnected\"} 2\n";
    assert!(text(&metrics).contains(line), "{}", text(&metrics));

    let id = start(&daemon, "hang-after-thread").await;
    at_work(&daemon).await;
    let poll = daemon.client().request(Method::GET, &format!("/runs/{id}?wait=60"));
    let call = tokio::spawn(async move { poll.send().await });
    let events = daemon.client().request(Method::GET, &format!("/runs/{id}/events"));
    let mut stream = events.send().await.unwrap().bytes_stream();
    stream.next().await.unwrap().unwrap();
    drop(stream);
    call.abort();
    // Only the one that waits was cut; the connections of both are free again.
    let metrics = async || {
        let text = daemon.client().get("/metrics").await.unwrap();
        // This request's own connection is open.
        self::text(&text).contains("codex_bridge_connections 1\n").then_some(())
    };
    wait_until_some(LIMIT, metrics).await.expect("the connections are closed");
    assert_eq!(newest(&daemon).await["state"], "running", "an accepted run goes on");

    let cancelled = daemon.client().delete(&format!("/runs/{id}")).await.unwrap();
    assert_eq!((cancelled.status, &cancelled.body["state"]), (200, &json!("cancelled")));
    assert!(daemon.children().is_empty(), "DELETE answers once nothing is alive");
}

#[tokio::test]
async fn a_run_is_cancelled_by_the_last_who_leaves_and_never_if_it_was_accepted() {
    let daemon = daemon().await;
    let call = |key: &str, prefer: &str| {
        let request = ask(&daemon, "hang-after-thread").header("idempotency-key", key);
        tokio::spawn(request.header("prefer", prefer).send())
    };
    // The connections of those who wait, and that of the one who counts.
    let waiting = async |count: usize| {
        let line = format!("codex_bridge_connections {count}\n");
        let found = async || {
            let metrics = daemon.client().get("/metrics").await.unwrap();
            text(&metrics).contains(&line).then_some(())
        };
        wait_until_some(LIMIT, found).await.expect(&line);
    };
    let first = call("shared", "");
    at_work(&daemon).await;
    let second = call("shared", "");
    waiting(3).await;
    first.abort();
    waiting(2).await;
    assert_eq!(newest(&daemon).await["state"], "running", "one caller still waits");
    second.abort();
    assert!(is_cancelled(&daemon).await);

    let accepted = call("kept", "respond-async").await.unwrap().unwrap();
    assert_eq!(accepted.status(), 202);
    at_work(&daemon).await;
    let third = call("kept", "");
    waiting(2).await;
    third.abort();
    waiting(1).await;
    assert_eq!(newest(&daemon).await["state"], "running", "an accepted run goes on");
}

#[tokio::test]
async fn a_key_stands_for_one_question() {
    let daemon = daemon().await;
    let keyed = |body: String| {
        daemon
            .client()
            .request(Method::POST, "/analyze")
            .header("content-type", "application/json")
            .header("idempotency-key", "k-1")
            .body(body)
    };
    let question = question("ok");
    let first = send(keyed(question.to_string())).await.unwrap();
    assert_eq!(first.status, 200, "{:#}", first.body);
    let reordered: serde_json::Map<String, Value> =
        question.as_object().unwrap().clone().into_iter().rev().collect();
    let reordered = serde_json::to_string_pretty(&reordered).unwrap();
    assert_eq!(send(keyed(reordered)).await.unwrap().body, first.body);
    let other = send(keyed(self::question("ok ").to_string())).await.unwrap();
    assert_eq!(other.code(), Some(FailureCode::IdempotencyConflict));

    for bad in ["", "a b", &"k".repeat(256)] {
        let request = ask(&daemon, "ok").header("idempotency-key", bad);
        let answer = send(request).await.unwrap();
        assert_eq!(answer.code(), Some(FailureCode::ContractViolation), "{bad:?}");
    }
    let twice = ask(&daemon, "ok").header("idempotency-key", "a").header("idempotency-key", "b");
    assert_eq!(send(twice).await.unwrap().code(), Some(FailureCode::ContractViolation));
}

#[tokio::test]
async fn a_full_queue_says_when_to_come_back() {
    let daemon = daemon().await;
    start(&daemon, "hang").await;
    at_work(&daemon).await;
    start(&daemon, "hang").await;
    let refused = daemon.client().analyze(&question("ok")).await.unwrap();
    assert_eq!((refused.status, refused.code()), (503, Some(FailureCode::Overloaded)));
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds));
}

#[tokio::test]
async fn the_log_names_each_request_and_nothing_of_its_content() {
    let daemon = daemon().await;
    let answer = send(ask(&daemon, "ok")).await.unwrap();
    let id = answer.header("x-request-id").unwrap();
    let logged = wait_until(LIMIT, || {
        daemon.log().lines().any(|line| {
            let line: Value = serde_json::from_str(line).unwrap_or_default();
            line["request.id"] == id
                && line["http.method"] == "POST"
                && line["http.route"] == "/analyze"
                && line["http.status"] == 200
                && line["duration_ms"].is_number()
        })
    });
    assert!(logged.await, "{}", daemon.log());
    assert!(!daemon.log().contains("Which queue?"));
}

#[tokio::test]
async fn what_monitors_ask_is_logged_for_debugging_alone() {
    let levels = |daemon: &Daemon, route: &str| -> Vec<String> {
        let log = daemon.log();
        let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let of_route = lines.filter(|line| line["http.route"] == route);
        of_route.map(|line| line["level"].as_str().unwrap().to_owned()).collect()
    };
    let codex = Path::new(env!("CARGO_BIN_EXE_fake-codex"));
    for (level, expected) in [("info", &["info"][..]), ("debug", &["debug", "info"][..])] {
        let builder = DaemonBuilder::new().unwrap().codex(codex);
        let daemon = builder.env("CODEX_BRIDGE_LOG_LEVEL", level).start().await.unwrap();
        // A request's line is written before its answer is sent.
        assert_eq!(daemon.client().get("/metrics").await.unwrap().status, 200);
        let refused = send(daemon.client().bare(Method::GET, "/metrics")).await.unwrap();
        assert_eq!(refused.status, 401);
        assert_eq!(levels(&daemon, "/metrics"), expected, "a refusal is told: {}", daemon.log());
    }
}
