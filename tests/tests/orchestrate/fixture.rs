//! What these tests share: turns to ask for, and a reader of what came of them.

use std::path::Path;
use std::time::Duration;

use contract::schema::ORCHESTRATOR_REPORT;
use reqwest::Method;
use serde_json::{Value, json};
use tests::harness::{Answer, Daemon, send, wait_until_some};

/// Above everything that may take its time on a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// What the report says where the thread is lost.
pub(crate) const LOST: &str = "[Limits] session continuity unavailable; fallback to stateless exec";

/// A turn in a new thread.
pub(crate) fn exec(workspace: &Path, prompt: &str) -> Value {
    json!({ "prompt": prompt, "workspace": workspace, "mode": "exec" })
}

/// A turn in this thread.
pub(crate) fn resume(workspace: &Path, thread: &Value, prompt: &str) -> Value {
    json!({ "prompt": prompt, "workspace": workspace, "mode": "resume", "thread_id": thread })
}

/// An example of `schemas/examples/valid`.
pub(crate) fn example(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/examples/valid");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// `POST /orchestrate`, whole.
pub(crate) async fn ask(daemon: &Daemon, turn: &Value) -> Answer {
    send(daemon.orchestrator().request(Method::POST, "/orchestrate").json(turn)).await.unwrap()
}

/// Asks and expects a report with an answer.
pub(crate) async fn answered(daemon: &Daemon, turn: &Value) -> Value {
    let answer = ask(daemon, turn).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    assert_eq!(ORCHESTRATOR_REPORT.violations(&answer.body), [], "{:#}", answer.body);
    assert!(answer.body["answer"]["text"].is_string(), "{:#}", answer.body);
    answer.body
}

/// Starts a turn that outlives its connection; its run.
pub(crate) async fn start(daemon: &Daemon, turn: &Value) -> String {
    let request = daemon.orchestrator().request(Method::POST, "/orchestrate");
    let answer = send(request.header("prefer", "respond-async").json(turn)).await.unwrap();
    assert_eq!(answer.status, 202, "{:#}", answer.body);
    answer.body["run_id"].as_str().unwrap().to_owned()
}

/// Waits until Codex has named the thread of this run.
pub(crate) async fn in_thread(daemon: &Daemon, run: &str) {
    let path = format!("/runs/{run}/events");
    let mut response = daemon.orchestrator().request(Method::GET, &path).send().await.unwrap();
    let mut text = String::new();
    while let Some(chunk) = response.chunk().await.unwrap() {
        text.push_str(&String::from_utf8_lossy(&chunk));
        if text.contains("event: thread") {
            return;
        }
    }
    panic!("run {run} ended without a thread: {text}");
}

/// The run's record once it has ended.
pub(crate) async fn ended(daemon: &Daemon, run: &str) -> Value {
    let path = format!("/runs/{run}?wait=10");
    let record = wait_until_some(LIMIT, async || {
        let record = daemon.orchestrator().get(&path).await.unwrap().body;
        record["run"]["finished_at"].is_string().then_some(record)
    });
    record.await.expect("the run ends")
}
