//! `codex-advisor status` in each state.

use serde_json::{Value, json};
use tests::harness::{DaemonBuilder, StateDir};

use crate::fixture::{Advisor, daemon};

fn check(status: &Value, name: &str) -> Value {
    let checks = status["checks"].as_array().unwrap();
    checks
        .iter()
        .find(|check| check["name"] == name)
        .unwrap_or_else(|| panic!("{status:#}"))
        .clone()
}

#[tokio::test]
async fn a_bridge_that_is_ready() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder());
    let status = advisor.json(&["status"], "", 0).await;
    assert_eq!((&status["ready"], &status["daemon"]["running"]), (&json!(true), &json!(true)));
    assert!(status["daemon"]["version"].is_string());
    assert_eq!(status["address"]["value"], format!("http://{}", daemon.client().address()));
    let state = daemon.folder().state();
    assert_eq!(status["address"]["origin"], state.join("address").display().to_string());
    assert_eq!(status["token"]["origin"], state.join("token").display().to_string());
    assert!(!status.to_string().contains(daemon.client().token()), "the token itself is secret");
    assert_eq!(check(&status, "queue_open")["message"], "0 running, 0 waiting");
    let told = advisor.tell(&["status", "--markdown"], "").await;
    assert!(told.stdout.starts_with("# Ready\n"), "{}", told.stdout);
}

#[tokio::test]
async fn a_bridge_that_is_not_there() {
    let folder = StateDir::new().unwrap();
    let advisor = Advisor::of(&folder).env("CODEX_BRIDGE_URL", "http://127.0.0.1:1");
    let status = advisor.json(&["status"], "", 3).await;
    assert_eq!((&status["ready"], &status["daemon"]["running"]), (&json!(false), &json!(false)));
    assert_eq!(
        (&status["token"]["found"], &status["address"]["found"]),
        (&json!(false), &json!(true))
    );
    assert!(status["problem"].as_str().unwrap().contains("not running"), "{status:#}");
    let told = advisor.tell(&["status", "--markdown"], "").await;
    assert_eq!(told.code, Some(3));
    assert!(told.stdout.starts_with("# Not ready\n"), "{}", told.stdout);
}

#[tokio::test]
async fn a_bridge_that_does_not_take_the_token() {
    let daemon = daemon().await;
    let advisor = Advisor::of(daemon.folder())
        .env("CODEX_BRIDGE_TOKEN", "wrong-wrong-wrong-wrong-wrong-wrong-wrong");
    let status = advisor.json(&["status"], "", 3).await;
    assert_eq!((&status["ready"], &status["daemon"]["running"]), (&json!(false), &json!(true)));
    assert!(status["problem"].as_str().unwrap().contains("does not take the token"));
}

#[tokio::test]
async fn a_bridge_without_codex_says_how_to_mend_it() {
    let builder = DaemonBuilder::new().unwrap();
    let missing = builder.folder().work().join("no-codex");
    let daemon = builder.codex(&missing).start().await.unwrap();
    let status = Advisor::of(daemon.folder()).json(&["status"], "", 3).await;
    let found = check(&status, "codex_found");
    assert_eq!(found["ok"], false);
    // The configuration names it: installing another would not help.
    let hint = found["hint"].as_str().unwrap();
    assert!(hint.contains("`codex.bin`") && !hint.contains("npm"), "{hint}");
    assert!(status["problem"].as_str().unwrap().contains("codex_found"));
}
