//! Codex ends without a valid answer, or in an unexpected way.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use crate::fixture::{ask, fake, plain_question, question, second_round};

const DEADLINE: Duration = Duration::from_secs(30);

/// How long Codex may live on after its last line.
const EXIT_GRACE: Duration = Duration::from_secs(2);

async fn check(modes: &[&str], verdict: &str) {
    let daemon = fake().start().await.unwrap();
    for mode in modes {
        let asked = ask(&daemon, &question(mode, DEADLINE)).await;
        assert_eq!(asked.verdict(), verdict, "{mode}: {:#}", asked.answer.body);
    }
}

/// Rows 4 and 25: death in the middle, by a signal, by lack of memory, with an odd code.
#[tokio::test]
async fn a_codex_that_dies_gets_one_more_try() {
    check(&["diemid", "oom", "exit 101 panicked", "exit0silent"], "502 crashed, 2 attempts").await;
    check(&["flaky 1 diemid", "flaky 1 oom"], "200 advice, 2 attempts").await;
}

/// Row 9.
#[tokio::test]
async fn a_codex_that_outlives_its_answer_is_ended_and_the_answer_counts() {
    check(&["closestdout-live", "linger"], "200 advice, 1 attempts").await;
}

/// Row 9.
#[tokio::test]
async fn a_codex_that_closes_stdout_without_an_answer_has_crashed() {
    check(&["closestdout-nomsg"], "502 crashed, 2 attempts").await;
}

/// Row 11.
#[tokio::test]
async fn descendants_that_hold_the_pipe_delay_nothing_and_are_ended() {
    let daemon = fake().start().await.unwrap();
    for mode in ["daemon", "forkbomb 30"] {
        let mut quickest = Duration::MAX;
        // The best of some: another process may have the machine for a moment.
        for _ in 0..3 {
            let asked = ask(&daemon, &question(mode, DEADLINE)).await;
            assert_eq!(asked.verdict(), "200 advice, 1 attempts", "{mode}");
            quickest = quickest.min(asked.took);
        }
        assert!(quickest < EXIT_GRACE, "{mode}: {quickest:?}");
    }
}

/// Row 12: a completed turn without a usable answer is asked to be mended in its thread.
#[tokio::test]
async fn an_unusable_answer_is_asked_to_be_mended() {
    // The mode stands in the question; what asks for the repair has none, and gets advice.
    let unusable = ["exit0nomsg", "empty-text", "text I would rather not say.", "badschema"];
    check(&unusable, "200 advice, 2 attempts").await;
    check(&["fenced", "chatty"], "200 advice, 1 attempts").await;
}

/// Row 12: mended once, and no more.
#[tokio::test]
async fn an_answer_that_stays_unusable_is_a_failure_that_tells_why() {
    let daemon = fake().start().await.unwrap();
    // The home is made when Codex is first looked at.
    ask(&daemon, &question("ok", DEADLINE)).await;
    let input = plain_question(DEADLINE);
    let mode = daemon.folder().state().join("codex-home/fake-codex.mode");
    for (words, summary) in [
        ("exit0nomsg", ""),
        ("empty-text", ""),
        ("text I would rather not say.", "I would rather not say."),
    ] {
        fs::write(&mode, words).unwrap();
        let asked = ask(&daemon, &input).await;
        assert_eq!(asked.verdict(), "502 bad_output, 2 attempts", "{words}");
        assert_eq!(asked.summary(), summary);
    }
    fs::write(&mode, "badschema-always").unwrap();
    let asked = ask(&daemon, &input).await;
    assert_eq!(asked.verdict(), "502 bad_output, 2 attempts");
    let details = asked.answer.body["error"]["details"].as_array().unwrap();
    let paths: BTreeSet<_> = details.iter().filter_map(|detail| detail["path"].as_str()).collect();
    let expected = ["/alternatives", "/recommendation/preferred_plan"];
    assert_eq!(paths, BTreeSet::from(expected), "{details:?}");
}

/// Row 13.
#[tokio::test]
async fn a_refused_sign_in_is_not_tried_again() {
    let daemon = fake().start().await.unwrap();
    let asked = ask(&daemon, &question("exit1-auth", DEADLINE)).await;
    assert_eq!(asked.verdict(), "502 auth, 1 attempts");
    assert!(asked.summary().contains("401 Unauthorized"), "{:?}", asked.summary());
    let asked = ask(&daemon, &question("exit 1 Error: Not logged in", DEADLINE)).await;
    assert_eq!(asked.verdict(), "502 auth, 1 attempts");
}

/// Rows 4 and 12: the words of a failed turn are never advice.
#[tokio::test]
async fn a_message_of_a_failed_turn_is_no_advice() {
    let daemon = fake().start().await.unwrap();
    for (words, verdict) in [
        ("something that nobody knows", "502 bad_request, 1 attempts"),
        ("unexpected status 500 Internal Server Error: oops", "502 upstream_error, 2 attempts"),
        ("unexpected status 402 Payment Required: no", "502 quota, 1 attempts"),
    ] {
        let mode = format!("message-then-turnfailed {words}");
        let asked = ask(&daemon, &question(&mode, DEADLINE)).await;
        assert_eq!(asked.verdict(), verdict, "{words}");
        assert!(asked.summary().contains(words), "{:?}", asked.summary());
    }
}

/// Row 14.
#[tokio::test]
async fn an_answer_without_a_transcript_counts_and_round_2_restates_it() {
    let daemon = fake().start().await.unwrap();
    let first = ask(&daemon, &question("transcript-not-saved", DEADLINE)).await;
    assert_eq!(first.verdict(), "200 advice, 1 attempts");
    assert!(first.limits().contains("Failed to save the conversation"), "{}", first.limits());
    let session = &first.answer.body["meta"]["session_id"];
    let second = ask(&daemon, &second_round(question("ok", DEADLINE), session)).await;
    assert_eq!(second.verdict(), "200 advice, 1 attempts");
    assert!(second.limits().contains("round 1 was restated"), "{}", second.limits());
    let threads = [&first, &second].map(|asked| &asked.answer.body["meta"]["codex"]["thread_id"]);
    assert_ne!(threads[0], threads[1]);
}

/// Row 14: a thread that is gone when round 2 comes.
#[tokio::test]
async fn a_lost_thread_is_begun_anew() {
    let daemon = fake().start().await.unwrap();
    let first = ask(&daemon, &question("ok", DEADLINE)).await;
    fs::remove_dir_all(daemon.folder().state().join("codex-home/fake-threads")).unwrap();
    let session = &first.answer.body["meta"]["session_id"];
    let second = ask(&daemon, &second_round(question("ok", DEADLINE), session)).await;
    assert_eq!(second.verdict(), "200 advice, 2 attempts");
    assert!(second.limits().contains("round 1 was restated"), "{}", second.limits());

    let first = ask(&daemon, &question("ok", DEADLINE)).await;
    let session = &first.answer.body["meta"]["session_id"];
    let input = second_round(question("wrong-thread-id", DEADLINE), session);
    let second = ask(&daemon, &input).await;
    assert_eq!(second.verdict(), "200 advice, 2 attempts");
}
