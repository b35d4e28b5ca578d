//! What is said: the log names runs and never repeats texts; answers carry no terminal escapes.

use serde_json::json;
use tests::harness::{Daemon, wait_until};

use crate::fixture::{builder, question, shown};

const ASKED: &str = "zanzibar-kumquat";
const ANSWERED: &str = "ouagadougou-persimmon";

async fn at_trace(format: &str) -> Daemon {
    builder()
        .env("CODEX_BRIDGE_LOG_LEVEL", "trace")
        .env("CODEX_BRIDGE_LOG_FORMAT", format)
        .start()
        .await
        .unwrap()
}

/// What the model says: whole advice in one line, with this in every text.
fn advice(text: &str) -> String {
    json!({
        "clarifying_questions": [text],
        "assumption_check": [{ "text": text, "status": "risky", "comment": text }],
        "alternatives": [{
            "name": "another", "description": text, "pros": [text], "cons": [text], "applicable_when": text,
        }],
        "tradeoffs": [{ "dimension": "risk", "notes": text }],
        "recommendation": { "preferred_plan": "outbox", "reason": text, "confidence": "low" },
        "followup_suggestions": [text],
        "raw_text": text,
    })
    .to_string()
}

/// Makes the stand-in say this to every question that names no mode.
fn say(daemon: &Daemon, mode: &str) {
    std::fs::write(daemon.folder().state().join("codex-home/fake-codex.mode"), mode).unwrap();
}

#[tokio::test]
async fn no_text_of_caller_or_model_is_in_the_log_at_any_level() {
    for format in ["json", "pretty"] {
        let daemon = at_trace(format).await;
        let client = daemon.client().clone();
        assert_eq!(client.analyze(&question(ASKED)).await.unwrap().status, 200);
        say(&daemon, &format!("text {}", advice(ANSWERED)));
        let answer = client.analyze(&question(ASKED)).await.unwrap();
        assert_eq!(answer.status, 200, "{:#}", answer.body);
        assert!(answer.body.to_string().contains(ANSWERED));
        for mode in [
            format!("text {ANSWERED} is no advice"),
            format!("turnfailed {ANSWERED}"),
            format!("message-then-turnfailed {ANSWERED}"),
            format!("exit 3 {ANSWERED}"),
        ] {
            say(&daemon, &mode);
            let mut asked = question(ASKED);
            asked["context"] = json!(ASKED);
            asked["candidate_plans"][0]["name"] = json!(format!("outbox {ASKED}"));
            client.analyze(&asked).await.unwrap();
        }
        client.analyze(&json!({ "problem": [ASKED], ASKED: ASKED })).await.unwrap();
        client.get(&format!("/runs?state={ASKED}")).await.unwrap();
        client.get(&format!("/{ASKED}")).await.unwrap();
        let answer = client.get("/runs").await.unwrap();
        let id = answer.header("x-request-id").unwrap().to_owned();
        let is_written = wait_until(crate::fixture::LIMIT, || daemon.log().contains(&id)).await;
        let log = daemon.log();
        assert!(is_written, "{log}");
        assert!(log.lines().count() > 20, "{log}");
        for (text, whose) in [(ASKED, "the caller"), (ANSWERED, "the model")] {
            let line = log.lines().find(|line| line.contains(text));
            assert_eq!(line, None, "a text of {whose} at trace ({format})");
        }
        assert!(!log.contains(client.token()), "the token is in the log");
    }
}

#[tokio::test]
async fn what_controls_a_terminal_is_taken_out_of_everything_that_is_answered() {
    let daemon = builder().start().await.unwrap();
    let client = daemon.client();
    let hostile = "\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7} \u{202e}rtl\u{202c} \u{9b}2J bell\u{7} nul\u{1} end";
    let mut asked = question(hostile);
    asked["candidate_plans"][0]["description"] = json!(hostile);
    assert_eq!(client.analyze(&asked).await.unwrap().status, 200);
    let mut bodies = Vec::new();
    for mode in [
        format!("text {}", advice(hostile)),
        format!("turnfailed {hostile}"),
        format!("exit 3 {hostile}"),
    ] {
        say(&daemon, &mode);
        let answer = client.analyze(&question(hostile)).await.unwrap();
        bodies.push(answer.body);
    }
    assert_eq!(bodies[0]["raw_text"], "red  rtl  bell nul end");
    bodies.push(json!(shown(client).await));
    for body in &bodies {
        // As JSON text the characters would be escapes.
        for escape in ["\\u001b", "\\u0007", "\\u0001", "\u{202e}", "\u{202c}", "\u{9b}", "\\u009b"]
        {
            assert!(!body.to_string().contains(escape), "{escape:?} in {body:#}");
        }
    }
    let log = daemon.log();
    assert!(!log.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{log}");
}

#[tokio::test]
async fn a_secret_that_the_model_makes_up_is_masked_too() {
    let daemon = builder().start().await.unwrap();
    let secret = &crate::fixture::secrets()[0].1;
    assert_eq!(daemon.client().analyze(&question("Which queue?")).await.unwrap().status, 200);
    for mode in [
        format!("text {}", advice(secret)),
        format!("text it is {secret}"),
        format!("turnfailed it is {secret}"),
        format!("exit 3 it is {secret}"),
    ] {
        say(&daemon, &mode);
        let answer = daemon.client().analyze(&question("Which queue?")).await.unwrap();
        assert!(!answer.body.to_string().contains(secret), "{mode}: {:#}", answer.body);
        assert!(answer.body.to_string().contains("[REDACTED:github-pat]"), "{:#}", answer.body);
    }
    assert!(!shown(daemon.client()).await.contains(secret));
    assert!(!daemon.log().contains(secret));
}
