//! What counts as advice: repaired, extracted from other text, and never taken from a failed turn.

use std::fs;

use expect_test::expect;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::fixture::{
    advised, assert_advice, builder, daemon, ended, question, run_id, second, verdict,
};

#[tokio::test]
async fn an_answer_that_breaks_the_contract_is_repaired_once() {
    let daemon = daemon().await;
    let answer = advised(&daemon, &question("fake-codex: badschema")).await;
    assert_eq!(answer.body["meta"]["attempts"], 2);
    let thread_id = answer.body["meta"]["codex"]["thread_id"].as_str().unwrap();
    // The same thread went on: it holds the question and the list of violations.
    let told = format!("fake-codex: turn 2 of thread {thread_id}, prompts 2");
    assert_eq!(answer.body["raw_text"], told.as_str());
}

#[tokio::test]
async fn an_answer_that_is_none_is_asked_for_again_in_its_thread() {
    let daemon = daemon().await;
    for mode in ["exit0nomsg", "empty-text", "text not advice at all"] {
        let answer = advised(&daemon, &question(&format!("fake-codex: {mode}"))).await;
        assert_eq!(answer.body["meta"]["attempts"], 2, "{mode}");
        let told = answer.body["raw_text"].as_str().unwrap();
        assert!(told.contains("turn 2 of") && told.contains("prompts 2"), "{mode}: {told}");
    }
}

#[tokio::test]
async fn an_answer_that_stays_broken_is_bad_output_with_what_is_wrong() {
    let daemon = daemon().await;
    // The mode of every prompt, the repair's included.
    advised(&daemon, &question("fake-codex: ok")).await;
    let mode = daemon.folder().state().join("codex-home/fake-codex.mode");
    fs::write(mode, "badschema-always").unwrap();
    let answer = daemon.client().analyze(&question("Which queue?")).await.unwrap();
    assert_eq!(verdict(&answer), "502 bad_output");
    let error = &answer.body["error"];
    let paths: Vec<&str> = error["details"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["/alternatives", "/recommendation/preferred_plan"]);
    assert!(
        error["summary"].as_str().unwrap().contains("a plan that no one proposed"),
        "{error:#}"
    );
    assert_eq!(answer.body["meta"]["attempts"], 2);
    assert_eq!(answer.body["meta"]["rounds_left"], 2, "the round is given back");
}

#[tokio::test]
async fn advice_is_recovered_from_fences_and_chatter() {
    let daemon = daemon().await;
    for mode in
        ["fenced", "chatty", "warnings", "duplicate-keys", "badutf8", "notjson", "unknown-events"]
    {
        let answer = advised(&daemon, &question(&format!("fake-codex: {mode}"))).await;
        assert_eq!(answer.body["meta"]["attempts"], 1, "{mode}");
    }
}

#[tokio::test]
async fn a_warning_of_codex_is_passed_on() {
    let daemon = daemon().await;
    let answer = advised(&daemon, &question("fake-codex: warnings")).await;
    let limits = answer.body["meta"]["limits"].to_string();
    assert!(limits.contains("codex warned: Unknown configuration key: fake"), "{limits}");
}

#[tokio::test]
async fn a_failed_turn_is_never_advice() {
    let daemon = builder().env("CODEX_BRIDGE_MAX_RUNNING", "4").start().await.unwrap();
    let modes = [
        "message-then-turnfailed unexpected status 400 Bad Request: no",
        "message-then-turnfailed something that nobody has seen",
        "turnfailed You've hit your usage limit.",
        "exit1-auth",
        "exit 3 this is not expected",
        "exit0silent",
        "diemid",
        "closestdout-nomsg",
    ];
    // Beside one another: half of them wait for a second attempt.
    let lines = join_all(modes.map(async |mode| {
        let answer =
            daemon.client().analyze(&question(&format!("fake-codex: {mode}"))).await.unwrap();
        let body = &answer.body;
        assert!(body.get("recommendation").is_none(), "{mode}: {body:#}");
        assert_eq!(body["error"]["type"], "codex_failure", "{mode}: {body:#}");
        let record = ended(&daemon, &run_id(&answer)).await;
        assert_eq!(
            (&record["run"]["state"], &record["outcome"]),
            (&json!("failed"), body),
            "{mode}"
        );
        format!("{mode}: {} after {}\n", verdict(&answer), body["meta"]["attempts"])
    }));
    expect![[r#"
        message-then-turnfailed unexpected status 400 Bad Request: no: 502 bad_request after 1
        message-then-turnfailed something that nobody has seen: 502 bad_request after 1
        turnfailed You've hit your usage limit.: 502 quota after 1
        exit1-auth: 502 auth after 1
        exit 3 this is not expected: 502 crashed after 2
        exit0silent: 502 crashed after 2
        diemid: 502 crashed after 2
        closestdout-nomsg: 502 crashed after 2
    "#]]
    .assert_eq(&lines.await.concat());
    let session = daemon.client().get("/runs?state=succeeded").await.unwrap();
    assert_eq!(session.body["runs"], json!([]));
}

#[tokio::test]
async fn what_fails_once_is_asked_again() {
    let daemon = daemon().await;
    for (number, mode) in ["", "diemid", "exit 3 crashed"].into_iter().enumerate() {
        let problem = format!("{number} fake-codex: flaky 1 {mode}");
        let answer = advised(&daemon, &question(problem.trim_end())).await;
        assert_eq!(answer.body["meta"]["attempts"], 2, "{mode}");
        // Anew, not resumed: the failed turn's prompt is not in the thread.
        let told = answer.body["raw_text"].as_str().unwrap();
        assert!(told.contains("turn 1 of") && told.contains("prompts 1"), "{mode}: {told}");
    }
}

#[tokio::test]
async fn a_conversation_that_was_not_saved_is_restated() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: transcript-not-saved")).await;
    let limits = |answer: &Value| answer["meta"]["limits"].to_string();
    assert!(limits(&first.body).contains("could not save"), "{}", limits(&first.body));
    let last = advised(&daemon, &second(&first, "fake-codex: ok")).await;
    assert!(limits(&last.body).contains("restated"), "{}", limits(&last.body));
    assert_eq!(last.body["meta"]["attempts"], 1, "the thread was known to be lost");
}

#[tokio::test]
async fn another_thread_than_the_resumed_one_is_a_lost_session() {
    let daemon = daemon().await;
    let first = advised(&daemon, &question("fake-codex: ok")).await;
    let last =
        daemon.client().analyze(&second(&first, "fake-codex: wrong-thread-id")).await.unwrap();
    assert_advice(&last);
    assert!(last.body["meta"]["limits"].to_string().contains("restated"), "{:#}", last.body);
    assert_eq!(last.body["meta"]["attempts"], 2);
}
