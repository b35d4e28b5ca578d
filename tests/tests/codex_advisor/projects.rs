//! Runs belong to a project: from another one they are not seen, followed, cancelled or continued.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tests::harness::Daemon;

use crate::fixture::{Advisor, daemon, question};

/// A project of the user's, and the command in a folder below it.
fn project(daemon: &Daemon, name: &str) -> (Advisor, PathBuf) {
    let root = daemon.folder().work().join(name);
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::create_dir_all(root.join("src/deep")).unwrap();
    (Advisor::of(daemon.folder()).in_folder(&root.join("src/deep")), root.canonicalize().unwrap())
}

fn runs(page: &Value) -> Vec<&str> {
    page["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn another_projects_runs_are_not_seen() {
    let daemon = daemon().await;
    let ((mine, root), (other, _)) = (project(&daemon, "mine"), project(&daemon, "other"));
    let advice = mine.json(&["ask"], &question("ok"), 0).await;
    let (run, session) = (&advice["meta"]["run_id"], &advice["meta"]["session_id"]);
    let (run, session) = (run.as_str().unwrap(), session.as_str().unwrap());
    let record = mine.json(&["show", run], "", 0).await;
    assert_eq!(record["run"]["workspace"], json!(root));
    // From anywhere in the project, in the order in which the skill finds its way back.
    let page =
        Advisor::of(daemon.folder()).in_folder(&root).json(&["runs", "--limit", "1"], "", 0).await;
    assert_eq!(runs(&page), [run]);

    assert_eq!(runs(&other.json(&["runs"], "", 0).await), [""; 0]);
    assert_eq!(runs(&other.json(&["runs", "--session", session], "", 0).await), [""; 0]);
    for command in ["show", "wait", "cancel"] {
        let failure = other.tell(&[command, run], "").await.failure(2);
        assert_eq!(failure.error.code.as_str(), "not_found", "{command}");
        assert!(!failure.error.message.contains("mine"), "{}", failure.error.message);
    }
    // A second round would be told what the first one was about.
    let second = ["ask", "--phase", "final", "--session", session];
    let failure = other.tell(&second, &question("ok")).await.failure(2);
    assert_eq!(failure.error.code.as_str(), "unknown_session");
    mine.json(&second, &question("ok"), 0).await;
}

#[tokio::test]
async fn a_run_without_a_project_is_no_ones() {
    let daemon = daemon().await;
    let (mine, root) = project(&daemon, "mine");
    let input = json!({
        "problem": "fake-codex: ok", "context": "", "phase": "initial",
        "candidate_plans": [{"name": "outbox", "description": "write"}],
    });
    let answer = daemon.client().analyze(&input).await.unwrap();
    let run = answer.body["meta"]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(runs(&mine.json(&["runs"], "", 0).await), [""; 0]);
    assert_eq!(mine.tell(&["show", &run], "").await.failure(2).error.code.as_str(), "not_found");
    // Whoever has the token can ask for everything, or speak for a project.
    let path = format!("/runs/{run}");
    assert_eq!(daemon.client().get(&path).await.unwrap().status, 200);
    let scoped = daemon.client().request(reqwest::Method::GET, &path);
    let scoped = scoped.header("codex-bridge-workspace", root.to_str().unwrap());
    assert_eq!(tests::harness::send(scoped).await.unwrap().status, 404);
    let wrong = daemon.client().request(reqwest::Method::GET, "/runs");
    let wrong = wrong.header("codex-bridge-workspace", "not/absolute");
    assert_eq!(tests::harness::send(wrong).await.unwrap().status, 422);
}

#[tokio::test]
async fn only_a_person_at_a_terminal_sees_all() {
    let daemon = daemon().await;
    let (mine, _) = project(&daemon, "mine");
    let run = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    for args in [
        &["runs", "--all"][..],
        &["show", run, "--all"],
        &["wait", run, "--all"],
        &["cancel", run, "--all"],
    ] {
        let failure = mine.tell(args, "").await.failure(2);
        assert!(failure.error.message.contains("person at a terminal"), "{args:?}");
    }
}
