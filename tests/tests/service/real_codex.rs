//! Both rounds with the real Codex and a scripted provider: threads, tokens, repair and retry.

use std::fs;
use std::process::{Command, Stdio};

use mock_model::{MockModel, Reply, Script, USAGE};
use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder, StateDir, codex_bin};
use tokio::time::Instant;

use crate::fixture::{advised, question, second, verdict, with};

/// A daemon with the real Codex; `None` where there is none.
async fn fixture(script: impl Into<Script>) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    Some((mock, builder.start().await.unwrap()))
}

/// What `requests` requests cost.
fn usage(requests: u64) -> Value {
    json!({
        "input_tokens": requests * USAGE.input_tokens,
        "cached_input_tokens": requests * USAGE.cached_input_tokens,
        "output_tokens": requests * USAGE.output_tokens,
        "reasoning_output_tokens": requests * USAGE.reasoning_tokens,
    })
}

/// What the user said in the newest request.
fn said(mock: &MockModel) -> Vec<String> {
    mock.requests().pop().unwrap().user_texts()
}

#[tokio::test]
async fn both_rounds_are_one_thread_and_each_counts_its_own_tokens() {
    let Some((mock, daemon)) = fixture(Reply::Advice).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    let meta = &first.body["meta"];
    assert_eq!((&meta["round"], &meta["rounds_left"]), (&json!(1), &json!(1)));
    assert_eq!((&meta["attempts"], &meta["usage"]), (&json!(1), &usage(1)));
    assert_eq!((&meta["limits"], &meta["redactions"]), (&json!([]), &json!([])));
    let prompt = said(&mock);
    assert_eq!(prompt.len(), 1);

    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let meta = &last.body["meta"];
    assert_eq!((&meta["round"], &meta["rounds_left"]), (&json!(2), &json!(0)));
    assert_eq!((&meta["attempts"], &meta["usage"]), (&json!(1), &usage(1)), "its own tokens");
    assert_eq!(meta["codex"]["thread_id"], first.body["meta"]["codex"]["thread_id"]);
    assert_eq!(meta["limits"], json!([]));
    let conversation = said(&mock);
    assert_eq!(conversation.len(), 2);
    assert_eq!(conversation[0], prompt[0]);
    assert!(conversation[1].contains("Which queue, then?"), "{}", conversation[1]);
    assert_eq!(mock.request_count(), 2, "one request a round");

    let third = daemon.client().analyze(&second(&first, "And now?")).await.unwrap();
    assert_eq!(verdict(&third), "409 round_limit");
    let session = meta["session_id"].as_str().unwrap();
    let session = daemon.client().get(&format!("/sessions/{session}")).await.unwrap().body;
    assert_eq!((&session["rounds_used"], &session["rounds_left"]), (&json!(2), &json!(0)));
    assert_eq!(session["thread_id"], meta["codex"]["thread_id"]);
    assert_eq!(session["runs"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_thread_is_resumed_after_a_restart_of_the_daemon() {
    let Some((mock, daemon)) = fixture(Reply::Advice).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    let daemon = daemon.restart().await.unwrap();
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let thread = |answer: &Value| answer["meta"]["codex"]["thread_id"].clone();
    assert_eq!(thread(&last.body), thread(&first.body));
    assert_eq!(last.body["meta"]["usage"], usage(1));
    assert_eq!(said(&mock).len(), 2);
}

#[tokio::test]
async fn a_lost_thread_is_restated_and_the_answer_says_so() {
    let Some((mock, daemon)) = fixture(Reply::Advice).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    fs::remove_dir_all(daemon.folder().state().join("codex-home/sessions")).unwrap();
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let meta = &last.body["meta"];
    assert_ne!(meta["codex"]["thread_id"], first.body["meta"]["codex"]["thread_id"]);
    assert_eq!(
        meta["limits"],
        json!(["the thread of round 1 could not be used: round 1 was restated in a new thread"])
    );
    assert_eq!((&meta["attempts"], &meta["usage"]), (&json!(2), &usage(1)));
    let conversation = said(&mock);
    let [restated] = conversation.as_slice() else { panic!("{conversation:?}") };
    let (earlier, now) = restated.split_once("</earlier>").unwrap();
    for told in ["Which queue?", "Mock model:", "preferred_plan"] {
        assert!(earlier.contains(told), "no {told} in {restated}");
    }
    assert!(now.contains("Which queue, then?"), "{restated}");
}

#[tokio::test]
async fn a_failed_second_round_is_forked_from_the_thread_of_round_one() {
    let Some((mock, daemon)) = fixture(Reply::Advice).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    let trouble = Reply::error(500, "server_error", "This failure is scripted.");
    mock.set_script(Script::sequence([trouble], Reply::Advice));
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    let meta = &last.body["meta"];
    assert_ne!(meta["codex"]["thread_id"], first.body["meta"]["codex"]["thread_id"]);
    assert_eq!((&meta["attempts"], &meta["usage"]), (&json!(2), &usage(1)));
    let conversation = said(&mock);
    assert!(conversation[0].contains("Which queue?"), "{conversation:?}");
    // A fork by `codex exec` copies the failed turn's prompt along, one by the app-server does not
    // (codex 0.169).
    let prompts = if meta["codex"]["driver"] == "exec" { 3 } else { 2 };
    let last_asked = conversation[1..].iter().all(|text| text.contains("Which queue, then?"));
    assert!(conversation.len() == prompts && last_asked, "{conversation:?}");
}

#[tokio::test]
async fn an_answer_that_breaks_the_contract_is_mended_in_its_own_thread() {
    let broken =
        Reply::Text(r#"{"clarifying_questions": [], "raw_text": "Use the outbox."}"#.into());
    let script = Script::sequence([broken], Reply::Advice);
    let Some((mock, daemon)) = fixture(script).await else { return };
    let answer = advised(&daemon, &question("Which queue?")).await;
    let meta = &answer.body["meta"];
    assert_eq!((&meta["attempts"], &meta["usage"]), (&json!(2), &usage(2)));
    let conversation = said(&mock);
    assert_eq!(conversation.len(), 2, "{conversation:?}");
    assert!(conversation[1].contains("/recommendation"), "{}", conversation[1]);
    let ids: Vec<_> =
        mock.requests().iter().map(|it| it.header("thread-id").map(str::to_owned)).collect();
    assert_eq!(ids[0].as_deref(), meta["codex"]["thread_id"].as_str());
    assert_eq!(ids[0], ids[1]);
}

/// An answer of a shape that any round may have, and that asks and weighs as only a first round may.
fn undecided() -> Reply {
    let advice = json!({
        "clarifying_questions": ["How many writers?", "How many readers?", "Since when?"],
        "assumption_check": [],
        "alternatives": [{"name": "a file", "description": "Append.", "pros": [], "cons": [], "applicable_when": null}],
        "tradeoffs": [{"dimension": "risk", "notes": "The Outbox can lag."}],
        "recommendation": {"preferred_plan": "outbox", "reason": "It is simple.", "confidence": "low"},
        "followup_suggestions": [],
        "raw_text": "Take the outbox.",
    });
    Reply::Text(advice.to_string())
}

#[tokio::test]
async fn a_final_answer_asks_little_and_weighs_every_plan_or_is_mended_once() {
    let Some((mock, daemon)) = fixture(undecided()).await else { return };
    let first = advised(&daemon, &question("Which queue?")).await;
    assert_eq!(first.body["meta"]["attempts"], 1, "the first round may ask and leave out");
    mock.set_script(Script::sequence([undecided()], Reply::Advice));
    let last = advised(&daemon, &second(&first, "Which queue, then?")).await;
    assert_eq!(last.body["meta"]["attempts"], 2);
    let repair = said(&mock).pop().unwrap();
    for told in
        ["/clarifying_questions", "at most 2 questions", "/tradeoffs", "nothing about `two-phase`"]
    {
        assert!(repair.contains(told), "no {told} in {repair}");
    }
    // One that stays so is no advice.
    mock.set_script(undecided());
    let first = advised(&daemon, &question("Which queue?")).await;
    let failed = daemon.client().analyze(&second(&first, "Which queue, then?")).await.unwrap();
    assert_eq!(verdict(&failed), "502 bad_output");
    let details = failed.body["error"]["details"].as_array().unwrap();
    let paths: Vec<&str> = details.iter().map(|each| each["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["/clarifying_questions", "/tradeoffs"]);
    assert_eq!(failed.body["meta"]["attempts"], 2);
}

#[tokio::test]
async fn who_is_not_signed_in_is_told_at_once() {
    let Some(codex) = codex_bin() else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex);
    let empty = builder.folder().work();
    let builder = builder
        .env("CODEX_BRIDGE_CODEX_BASE_URL", mock.base_url())
        .env("CODEX_BRIDGE_CODEX_AUTH_HOME", &empty);
    let daemon = builder.start().await.unwrap();
    let asked = Instant::now();
    let answer = daemon.client().analyze(&question("Which queue?")).await.unwrap();
    // The probe takes a tenth of a second; a model's time-out would take minutes.
    assert!(asked.elapsed() < crate::fixture::LIMIT, "after {:?}", asked.elapsed());
    assert_eq!(verdict(&answer), "502 auth");
    let error = &answer.body["error"];
    assert!(error["message"].as_str().unwrap().contains("codex login"), "{error:#}");
    assert_eq!((&error["type"], &error["retryable"]), (&json!("codex_failure"), &json!(false)));
    assert_eq!(answer.body["meta"]["attempts"], 0);

    let readiness = daemon.client().get("/readyz").await.unwrap();
    assert_eq!(readiness.status, 503);
    let checks = readiness.body["checks"].as_array().unwrap();
    let failed: Vec<&Value> = checks.iter().filter(|check| check["ok"] == false).collect();
    let [sign_in] = failed.as_slice() else { panic!("{failed:?}") };
    assert_eq!(sign_in["name"], "sign_in");
    assert!(sign_in["hint"].as_str().unwrap().contains("codex login"), "{sign_in}");
    assert_eq!(mock.request_count(), 0);

    // A sign-in counts without a restart.
    fs::write(empty.join("auth.json"), r#"{"OPENAI_API_KEY":"key-of-the-user-0123456789"}"#)
        .unwrap();
    assert_eq!(daemon.client().get("/readyz").await.unwrap().status, 200);
    advised(&daemon, &question("Which queue?")).await;
}

#[tokio::test]
async fn an_allowed_workspace_brings_the_shell_tool_and_no_other() {
    let Some(codex) = codex_bin() else { return };
    let mock = MockModel::local(Reply::Advice).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    let root = builder.folder().work();
    fs::create_dir(root.join("project")).unwrap();
    let builder = builder
        .env("CODEX_BRIDGE_CODEX_SHELL", "read-only")
        .env("CODEX_BRIDGE_CODEX_WORKSPACE_ROOTS", &root);
    let daemon = builder.start().await.unwrap();
    let members = json!({ "workspace": root.join("project"), "options": { "model": "gpt-5.5" } });
    advised(&daemon, &with(question("Which queue?"), &members)).await;
    let request = mock.requests().pop().unwrap();
    assert_eq!(request.tools(), ["exec_command", "write_stdin"]);
}

/// A demo plays to its end also where nobody can read it; that its words are lost is no success.
#[test]
#[expect(clippy::disallowed_methods, reason = "the test plays the user's shell")]
fn a_demo_whose_words_are_lost_has_failed() {
    let Some(codex) = codex_bin() else { return };
    let folder = StateDir::new().unwrap();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_bridge-under-test"))
        .args(["demo", "--codex-bin"])
        .arg(codex)
        .env_clear()
        .env("HOME", folder.home())
        .env("TMPDIR", folder.temp())
        .env("PATH", "/usr/bin:/bin")
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said, "standard output cannot be written: No space left on device (os error 28)\n");
}
