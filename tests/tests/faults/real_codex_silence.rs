//! Silence with the real Codex: what is a stall and what is not, and what is left on stderr.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use mock_model::{Beat, Hang, MockModel, Reply, Script};
use serde_json::Value;
use tests::harness::{Daemon, DaemonBuilder, codex_bin, wait_until};

use crate::fixture::{Asked, LIMIT, ask, plain_question, signed_in};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_secs(5);

/// A word that no rule of redaction knows for a secret.
const SECRET: &str = "correct-horse-battery-staple";

async fn fixture(script: impl Into<Script>, stall_ms: &str) -> Option<(DaemonBuilder, MockModel)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = signed_in(DaemonBuilder::new().unwrap())
        .codex(&codex)
        .env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url())
        .env("CODEX_BRIDGE_MAX_RUNNING", "3")
        .env("CODEX_BRIDGE_STALL_MS", stall_ms);
    Some((builder, mock))
}

/// The real Codex behind a script, which does `first` in each turn.
fn wrapped(builder: DaemonBuilder, first: &str) -> DaemonBuilder {
    let wrapper: PathBuf = builder.folder().work().join("codex");
    let real = codex_bin().unwrap();
    let script = format!("#!/bin/sh\n{first}\nexec '{}' \"$@\"\n", real.display());
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, Permissions::from_mode(0o755)).unwrap();
    builder.codex(&wrapper)
}

/// A question whose reply the script chooses by this word.
fn about(word: &str, deadline: Duration) -> Value {
    let mut question = plain_question(deadline);
    question["problem"] = word.into();
    question
}

fn chosen(of: impl Fn(&str) -> Option<Reply> + Send + 'static) -> Script {
    Script::choose(move |request| {
        let texts = request.user_texts();
        texts.iter().rev().find_map(|text| of(text)).unwrap_or(Reply::Advice)
    })
}

async fn three(daemon: &Daemon, words: [&str; 3]) -> [Asked; 3] {
    let [first, second, third] = words.map(|word| about(word, LONG));
    let asked = tokio::join!(ask(daemon, &first), ask(daemon, &second), ask(daemon, &third));
    asked.into()
}

#[tokio::test]
async fn a_model_that_thinks_or_writes_for_longer_than_the_limit_is_heard() {
    let words = ["writes", "thinks", "is silent but for its keep-alives"];
    let script = chosen(move |text| {
        let beats = [Beat::Delta, Beat::Reasoning, Beat::KeepAlive];
        let beat = words.iter().zip(beats).find(|(word, _)| text.contains(*word))?.1;
        Some(Reply::Advice.paced(beat, Duration::from_millis(500), 12))
    });
    let Some((builder, mock)) = fixture(script, "3000").await else { return };
    let daemon = builder.start().await.unwrap();
    for asked in three(&daemon, words).await {
        assert_eq!(asked.verdict(), "200 advice, 1 attempts");
        assert!(asked.took > Duration::from_secs(6), "the clock would have run out: {asked:?}");
    }
    assert_eq!(mock.request_count(), 3, "each is paid once");
}

#[tokio::test]
async fn a_provider_that_goes_silent_is_a_stall_and_nothing_is_left() {
    let words = ["no headers", "headers only", "comments only"];
    let script = chosen(move |text| {
        let comments = Reply::Advice.paced(Beat::Comment, Duration::from_millis(300), 100);
        let replies = [Reply::Hang(Hang::BeforeHeaders), Reply::Hang(Hang::AfterHeaders), comments];
        words.iter().zip(replies).find(|(word, _)| text.contains(*word)).map(|(_, reply)| reply)
    });
    let Some((builder, mock)) = fixture(script, "2000").await else { return };
    let daemon = builder.start().await.unwrap();
    for asked in three(&daemon, words).await {
        assert_eq!(asked.verdict(), "504 stalled, 2 attempts");
        let message = asked.answer.body["error"]["message"].as_str().unwrap();
        assert!(message.contains("raise limits.stall_ms"), "{message}");
    }
    assert_eq!(mock.request_count(), 6);
    assert!(wait_until(LIMIT, || mock.open_connections() == 0).await, "a connection is open");
    assert!(daemon.is_idle_within(LIMIT).await, "{:?}", daemon.children());
}

#[tokio::test]
async fn without_its_log_only_codexs_own_limit_and_the_deadline_end_a_silent_turn() {
    let Some((builder, mock)) = fixture(Reply::Hang(Hang::BeforeHeaders), "1000").await else {
        return;
    };
    let daemon = wrapped(builder, "export RUST_LOG=off").start().await.unwrap();
    let silent = ask(&daemon, &about("no headers", SHORT)).await;
    assert_eq!(silent.verdict(), "504 timeout, 1 attempts");
    mock.set_script(Reply::Hang(Hang::AfterHeaders));
    let silent = ask(&daemon, &about("headers only", LONG)).await;
    assert_eq!(silent.verdict(), "504 stalled, 2 attempts");
}

#[tokio::test]
async fn nothing_of_the_log_is_kept_anywhere() {
    let Some((builder, _mock)) = fixture(Reply::Hang(Hang::BeforeHeaders), "1000").await else {
        return;
    };
    // As codex 0.169 prints a provider's words with line breaks in them.
    let record = format!(
        "2026-11-22T06:10:30.2Z  INFO codex_otel.log_only: event.name=\"codex.startup_phase\" \
         error.message=one\\n{SECRET}\\nthree {SECRET} conversation.id=1\\nsaid aloud\\n"
    );
    let builder =
        wrapped(builder, &format!("case $1 in exec|app-server) printf '{record}' >&2;; esac"))
            .env("CODEX_BRIDGE_LOG_LEVEL", "trace");
    let daemon = builder.start().await.unwrap();
    let asked = ask(&daemon, &about("no headers", LONG)).await;
    assert_eq!(asked.verdict(), "504 stalled, 2 attempts");
    assert_eq!(asked.summary(), "said aloud", "what is no record stays");
    let run = asked.answer.body["meta"]["run_id"].as_str().unwrap();
    let events = daemon.client().get(&format!("/runs/{run}/events")).await.unwrap();
    for (place, text) in [
        ("answer", asked.answer.body.to_string()),
        ("events", events.body.to_string()),
        ("log", daemon.log()),
    ] {
        assert!(!text.is_empty() && !text.contains(SECRET), "{place}: {text}");
        assert!(!text.contains("codex_otel.log_only: event"), "{place}: {text}");
    }
    for file in fs::read_dir(daemon.state()).unwrap().flatten() {
        let bytes = fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(SECRET), "{}", file.path().display());
    }
}
