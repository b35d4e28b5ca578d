//! How many runs at once, for how long, and the response when there is no room.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::harness::{Answer, Daemon};
use tokio::time::Instant;

use crate::fixture::{
    LATE_BY_MAX, at_work, builder, ended, keyed, question, reached, run_id, start, verdict, with,
};

const HANG: &str = "fake-codex: hang-after-thread";

/// A daemon with one worker and this many places in the queue, the worker taken.
async fn busy(max_queued: &str) -> (Daemon, Answer) {
    let daemon = builder()
        .env("CODEX_BRIDGE_MAX_RUNNING", "1")
        .env("CODEX_BRIDGE_MAX_QUEUED", max_queued)
        .start()
        .await
        .unwrap();
    let running = keyed(daemon.client(), "running", "respond-async", &question(HANG)).await;
    at_work(&daemon, &run_id(&running)).await;
    (daemon, running)
}

fn within(problem: &str, timeout_ms: u64) -> Value {
    with(question(problem), &json!({ "options": { "timeout_ms": timeout_ms } }))
}

#[tokio::test]
async fn a_full_queue_says_no_at_once_and_when_to_come_back() {
    let (daemon, running) = busy("1").await;
    let waiting = start(&daemon, &question("fake-codex: ok")).await;
    let asked = Instant::now();
    let refused = daemon.client().analyze(&question("fake-codex: ok")).await.unwrap();
    assert!(asked.elapsed() < LATE_BY_MAX, "at once, not after {:?}", asked.elapsed());
    assert_eq!(verdict(&refused), "503 overloaded");
    let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=120).contains(&seconds), "{seconds}");
    let error = &refused.body["error"];
    assert_eq!((&error["retryable"], &error["fallback"]), (&json!(true), &json!("CODEX_FALLBACK")));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&format!("in {seconds} s")), "{message}, but Retry-After: {seconds}");
    let page = daemon.client().get("/runs").await.unwrap();
    assert_eq!(page.body["runs"].as_array().unwrap().len(), 2, "what is refused is no run");

    // A repetition is no new work.
    let again = keyed(daemon.client(), "running", "respond-async", &question(HANG)).await;
    assert_eq!((again.status, run_id(&again)), (202, run_id(&running)));
    let other = keyed(daemon.client(), "running", "respond-async", &question("other")).await;
    assert_eq!(verdict(&other), "409 idempotency_conflict");

    // The place that is given up goes to who waits.
    daemon.client().delete(&format!("/runs/{}", run_id(&running))).await.unwrap();
    assert_eq!(ended(&daemon, &run_id(&waiting)).await["run"]["state"], "succeeded");
}

#[tokio::test]
async fn who_waits_past_the_deadline_is_told_that_there_was_no_place() {
    let (daemon, _running) = busy("8").await;
    let asked = Instant::now();
    let refused = daemon.client().analyze(&within("fake-codex: ok", 1_000)).await.unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1) + LATE_BY_MAX, "{:?}", asked.elapsed());
    assert_eq!(verdict(&refused), "503 overloaded");
    assert!(refused.header("retry-after").is_some());
    let meta = &refused.body["meta"];
    assert_eq!(meta["attempts"], 0);
    assert!(meta["queue_ms"].as_u64().unwrap() >= 1_000, "{meta}");
    let record = ended(&daemon, &run_id(&refused)).await;
    assert_eq!((&record["run"]["state"], &record["outcome"]), (&json!("failed"), &refused.body));
}

#[tokio::test]
async fn the_queue_is_served_in_its_order() {
    let (daemon, running) = busy("8").await;
    let mut waiting = Vec::new();
    for number in 0..4 {
        waiting.push(run_id(&start(&daemon, &question(&format!("{number} fake-codex: ok"))).await));
    }
    daemon.client().delete(&format!("/runs/{}", run_id(&running))).await.unwrap();
    let mut finished = Vec::new();
    for run in &waiting {
        let record = ended(&daemon, run).await;
        finished.push(record["run"]["finished_at"].as_str().unwrap().to_owned());
    }
    assert!(finished.is_sorted(), "{finished:?}");
}

#[tokio::test]
async fn no_answer_comes_later_than_the_deadline_and_two_seconds() {
    let daemon = builder().env("CODEX_BRIDGE_MAX_RUNNING", "6").start().await.unwrap();
    let modes = [
        ("hang", "504 timeout"),
        ("hang-after-thread", "504 timeout"),
        ("slow-drip", "504 timeout"),
        ("ignoreterm", "504 timeout"),
        ("tree 3", "504 timeout"),
        // Codex said what it was waiting for.
        ("reconnecting", "502 network"),
    ];
    // Beside one another: each of them waits.
    join_all(modes.map(async |(mode, expected)| {
        let asked = Instant::now();
        let question = within(&format!("fake-codex: {mode}"), 1_200);
        let answer = daemon.client().analyze(&question).await.unwrap();
        let took = asked.elapsed();
        assert!(took < Duration::from_millis(1_200) + LATE_BY_MAX, "{mode}: {took:?}");
        assert!(took >= Duration::from_millis(1_000), "{mode}: {took:?}");
        assert_eq!(verdict(&answer), expected, "{mode}: {:#}", answer.body);
    }))
    .await;
    assert!(daemon.is_idle_within(LATE_BY_MAX).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn a_caller_cannot_ask_for_more_time_than_the_operator_allows() {
    let daemon = builder()
        .env("CODEX_BRIDGE_DEADLINE_MS", "1000")
        .env("CODEX_BRIDGE_DEADLINE_MAX_MS", "1500")
        .start()
        .await
        .unwrap();
    for question in [question(HANG), within(HANG, 60_000)] {
        let asked = Instant::now();
        let answer = daemon.client().analyze(&question).await.unwrap();
        assert_eq!(verdict(&answer), "504 timeout");
        assert!(asked.elapsed() < Duration::from_millis(1_500) + LATE_BY_MAX);
    }
    for timeout_ms in [0, 999, 590_001] {
        let answer = daemon.client().analyze(&within(HANG, timeout_ms)).await.unwrap();
        assert_eq!(verdict(&answer), "422 contract_violation", "{timeout_ms}");
        assert_eq!(answer.body["error"]["details"][0]["path"], "/options/timeout_ms");
    }
}

#[tokio::test]
async fn silence_is_a_stall_long_before_the_deadline() {
    let daemon = builder().env("CODEX_BRIDGE_STALL_MS", "1000").start().await.unwrap();
    let asked = Instant::now();
    let answer = daemon.client().analyze(&within(HANG, 30_000)).await.unwrap();
    assert_eq!(verdict(&answer), "504 stalled");
    assert_eq!(answer.body["meta"]["attempts"], 2);
    assert!(asked.elapsed() < Duration::from_secs(15), "{:?}", asked.elapsed());
}

#[tokio::test]
async fn the_metrics_follow_what_happens() {
    let (daemon, running) = busy("8").await;
    let waiting = start(&daemon, &question("fake-codex: ok")).await;
    let page = daemon.client().get("/metrics").await.unwrap();
    let text = page.body.as_str().unwrap().to_owned();
    for line in ["codex_bridge_running 1", "codex_bridge_queued 1"] {
        assert!(text.lines().any(|found| found == line), "no {line} in {text}");
    }
    daemon.client().delete(&format!("/runs/{}", run_id(&running))).await.unwrap();
    ended(&daemon, &run_id(&waiting)).await;
    reached(&daemon, &run_id(&running), "cancelled").await;
    daemon.client().analyze(&question("fake-codex: exit1-auth")).await.unwrap();
    let page = daemon.client().get("/metrics").await.unwrap();
    let text = page.body.as_str().unwrap();
    for line in [
        "codex_bridge_running 0",
        "codex_bridge_queued 0",
        r#"codex_bridge_runs_total{outcome="succeeded",code=""} 1"#,
        r#"codex_bridge_runs_total{outcome="cancelled",code="cancelled"} 1"#,
        r#"codex_bridge_runs_total{outcome="failed",code="auth"} 1"#,
        r#"codex_bridge_attempts_total{outcome="ok",driver="exec"} 1"#,
        r#"codex_bridge_tokens_total{kind="input"} 100"#,
        r#"codex_bridge_requests_total{route="/analyze",outcome="accepted"} 2"#,
        r#"codex_bridge_requests_total{route="/analyze",outcome="auth"} 1"#,
        "codex_bridge_run_seconds_count 3",
    ] {
        assert!(text.lines().any(|found| found == line), "no {line} in {text}");
    }
}
