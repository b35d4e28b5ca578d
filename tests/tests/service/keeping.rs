//! What is kept, for how long, and what is not.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use tests::harness::{Daemon, wait_until_some};

use crate::fixture::{LIMIT, advised, builder, daemon, ended, keyed, question, run_id, second};

/// Of the question only: no word of ours.
const MARK: &str = "zanzibar-kumquat";

/// Files below the folder whose bytes contain the text.
fn holding(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            found.extend(holding(&path, text));
        } else if let Ok(bytes) = fs::read(&path)
            && bytes.windows(text.len()).any(|part| part == text.as_bytes())
        {
            found.push(path.display().to_string());
        }
    }
    found
}

/// The files of the store that contain the text.
fn stored(daemon: &Daemon, text: &str) -> Vec<String> {
    let mut found = holding(&daemon.folder().state(), text);
    found.retain(|path| path.contains("state.sqlite"));
    found
}

#[tokio::test]
async fn texts_are_kept_and_shown_where_the_operator_wants_it() {
    let daemon = daemon().await;
    let problem = format!("{MARK}\nfake-codex: ok");
    let answer = advised(&daemon, &question(&problem)).await;
    assert_ne!(stored(&daemon, MARK), [""; 0]);
    let page = daemon.client().get("/runs").await.unwrap();
    assert_eq!(page.body["runs"][0]["problem"], MARK);
    let record = ended(&daemon, &run_id(&answer)).await;
    assert_eq!(record["outcome"], answer.body);
}

#[tokio::test]
async fn without_bodies_the_caller_is_answered_and_no_text_is_kept() {
    let daemon = builder().env("CODEX_BRIDGE_STORE_BODIES", "false").start().await.unwrap();
    let problem = format!("{MARK} fake-codex: text {MARK} is not advice");
    let failed = keyed(daemon.client(), "failed", "wait=30", &question(&problem)).await;
    let answer = advised(&daemon, &question(&format!("{MARK} fake-codex: ok"))).await;
    let told = answer.body["raw_text"].as_str().unwrap().to_owned();
    // Who comes soon still finds it; a restart forgets it.
    let record = ended(&daemon, &run_id(&answer)).await;
    assert_eq!(record["outcome"], answer.body);

    let last = advised(&daemon, &second(&answer, "fake-codex: ok")).await;
    assert_eq!(last.body["meta"]["limits"], json!([]), "the thread is Codex's, and it is there");
    let daemon = daemon.restart().await.unwrap();
    assert_eq!(stored(&daemon, MARK), [""; 0]);
    assert_eq!(stored(&daemon, &told), [""; 0]);
    for run in [&failed, &answer, &last] {
        let record = ended(&daemon, &run_id(run)).await;
        assert!(record["run"].get("problem").is_none(), "{record:#}");
    }
    let record = ended(&daemon, &run_id(&answer)).await;
    assert_eq!((&record["run"]["state"], record.get("outcome")), (&json!("succeeded"), None));
}

#[tokio::test]
async fn without_bodies_a_lost_thread_is_said_to_be_forgotten() {
    let daemon = builder().env("CODEX_BRIDGE_STORE_BODIES", "false").start().await.unwrap();
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    fs::remove_dir_all(daemon.folder().state().join("codex-home/fake-threads")).unwrap();
    let last = advised(&daemon, &second(&first, "fake-codex: ok")).await;
    let limits = last.body["meta"]["limits"].to_string();
    assert!(limits.contains("its text is not kept"), "{limits}");
}

#[tokio::test]
async fn what_is_older_than_the_retention_goes_and_nothing_of_it_stays() {
    let daemon = builder()
        .env("CODEX_BRIDGE_SESSION_TTL", "1 minute")
        .env("CODEX_BRIDGE_STORE_RETENTION", "2 minutes")
        .start()
        .await
        .unwrap();
    let old = advised(&daemon, &question(&format!("{MARK} fake-codex: ok"))).await;
    let new = advised(&daemon, &question("fake-codex: ok")).await;
    // Nobody waits for two minutes: the clock is put forward instead.
    let connection = Connection::open(daemon.folder().state().join("state.sqlite")).unwrap();
    let back = |table: &str, columns: &[&str]| {
        let set: Vec<String> = columns.iter().map(|it| format!("{it} = {it} - 180000")).collect();
        let session = old.body["meta"]["session_id"].as_str().unwrap();
        let statement = format!("UPDATE {table} SET {} WHERE session_id = ?1", set.join(", "));
        assert_eq!(connection.execute(&statement, [session]).unwrap(), 1);
    };
    back("runs", &["created_at", "started_at", "finished_at"]);
    back("sessions", &["created_at", "expires_at"]);
    drop(connection);

    let daemon = daemon.restart().await.unwrap();
    let left = wait_until_some(LIMIT, async || {
        let page = daemon.client().get("/runs").await.unwrap();
        let runs: Vec<Value> = page.body["runs"].as_array().unwrap().clone();
        (runs.len() == 1).then_some(runs)
    });
    assert_eq!(left.await.unwrap()[0]["run_id"], run_id(&new).as_str());
    let session = old.body["meta"]["session_id"].as_str().unwrap();
    for path in [
        format!("/runs/{}", run_id(&old)),
        format!("/runs/{}/events", run_id(&old)),
        format!("/sessions/{session}"),
    ] {
        assert_eq!(daemon.client().get(&path).await.unwrap().status, 404, "{path}");
    }
    // Deleted content is overwritten; the log of changes is gone after a clean end.
    let mut daemon = daemon;
    daemon.signal(rustix::process::Signal::TERM).unwrap();
    assert!(daemon.exit(LIMIT).await.unwrap().success());
    assert_eq!(stored(&daemon, MARK), [""; 0]);
}
