//! The stand-in for codex behaves as the bridge requires (recorded from codex 0.169).

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;
use supervise::{Captured, Command, Exit, Guard};
use tempfile::TempDir;

/// An unknown thread.
const UNKNOWN: &str = "01a1fcff-ffff-7fff-bfff-ffffffffffff";

async fn codex(program: &Path, home: &TempDir, args: &[&str], stdin: &str) -> Captured {
    let command = Command {
        program: program.into(),
        args: args.iter().map(Into::into).collect(),
        env: vec![("CODEX_HOME".into(), home.path().into())],
        current_dir: home.path().into(),
        stdin: stdin.into(),
    };
    let guard = Guard::new(env!("CARGO_BIN_EXE_guard").into());
    supervise::capture(&guard, command, Duration::from_secs(60)).await.unwrap()
}

/// `exec --json ARGS -` with a prompt: the exit code, the thread, the terminal event, stderr.
async fn exec(home: &TempDir, args: &[&str], prompt: &str) -> (Exit, String, Value, String) {
    let args = [&["exec", "--json", "-s", "read-only"], args, &["-"]].concat();
    let ended = codex(env!("CARGO_BIN_EXE_fake-codex").as_ref(), home, &args, prompt).await;
    let events: Vec<Value> =
        ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let thread = events.first().and_then(|event| event["thread_id"].as_str()).unwrap_or_default();
    let last = events.last().cloned().unwrap_or_default();
    (ended.exit, thread.into(), last, ended.stderr)
}

#[tokio::test]
async fn a_thread_goes_on_and_its_usage_adds_up() {
    let home = tempfile::tempdir().unwrap();
    let (_, thread, first, _) = exec(&home, &[], "hello").await;
    let (exit, resumed, second, _) = exec(&home, &["resume", &thread], "again").await;
    assert_eq!((exit, &resumed), (Exit::Code(0), &thread));
    assert_eq!(first["usage"]["input_tokens"], 100);
    assert_eq!(second["usage"]["input_tokens"], 200);
    let (_, forked, third, _) = exec(&home, &["fork", &thread], "elsewhere").await;
    assert_ne!(forked, thread);
    assert_eq!(third["usage"]["input_tokens"], 300);
    let (_, _, untouched, _) = exec(&home, &["resume", &thread], "here").await;
    assert_eq!(untouched["usage"]["input_tokens"], 300);
}

#[tokio::test]
async fn an_unknown_thread_fails_and_a_malformed_id_starts_a_new_one() {
    let home = tempfile::tempdir().unwrap();
    for verb in ["resume", "fork"] {
        let (exit, thread, _, stderr) = exec(&home, &[verb, UNKNOWN], "hello").await;
        assert_eq!((exit, thread.as_str()), (Exit::Code(1), ""));
        let lost = format!("no rollout found for thread id {UNKNOWN} (code -32600)");
        assert_eq!(stderr, format!("Error: thread/{verb}: thread/{verb} failed: {lost}\n"));
    }
    let (exit, thread, ..) = exec(&home, &["resume", "not-a-uuid"], "hello").await;
    assert_eq!((exit, thread.len()), (Exit::Code(0), 36));
    let (exit, .., stderr) = exec(&home, &["fork", "nope"], "hello").await;
    assert_eq!((exit, stderr.as_str()), (Exit::Code(1), "Error: Session not found: nope\n"));
}

#[tokio::test]
async fn options_stand_before_resume_and_unknown_ones_are_refused() {
    let home = tempfile::tempdir().unwrap();
    let (exit, ..) = exec(&home, &["resume", UNKNOWN, "-C", "/"], "hello").await;
    assert_eq!(exit, Exit::Code(2));
    let (exit, ..) = exec(&home, &["--full-auto"], "hello").await;
    assert_eq!(exit, Exit::Code(2));
    let (exit, .., stderr) = exec(&home, &["--output-schema", "/nonexistent"], "hello").await;
    assert_eq!(exit, Exit::Code(1));
    assert!(stderr.starts_with("Failed to read output schema file"), "{stderr}");
    let (exit, .., stderr) = exec(&home, &[], &"x".repeat(1_048_577)).await;
    assert_eq!(exit, Exit::Code(1));
    assert!(stderr.contains("input_too_large"), "{stderr}");
}

#[tokio::test]
async fn the_mode_comes_from_the_prompt_then_from_the_home_then_from_the_folder() {
    let home = tempfile::tempdir().unwrap();
    // A link, as a test would lay it into a folder of its own.
    let linked = home.path().join("codex");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fake-codex"), &linked).unwrap();
    let args = ["exec", "--json", "-"];
    let question = r#"{"problem": "fake-codex: exit 5", "candidate_plans": []}"#;
    assert_eq!(codex(&linked, &home, &args, question).await.exit, Exit::Code(5));
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = folder.path().join("codex");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fake-codex"), &elsewhere).unwrap();
    fs::write(folder.path().join("fake-codex.mode"), "exit 6\n").unwrap();
    assert_eq!(codex(&elsewhere, &home, &args, "hello").await.exit, Exit::Code(6));
    fs::write(home.path().join("fake-codex.mode"), "exit 7\n").unwrap();
    assert_eq!(codex(&elsewhere, &home, &args, "hello").await.exit, Exit::Code(7));
    let unknown = codex(&elsewhere, &home, &args, "fake-codex: dance").await;
    assert_eq!(unknown.stderr, "fake-codex: no mode \"dance\"\n");
}

#[tokio::test]
async fn a_flaky_one_fails_as_often_as_it_is_told() {
    let home = tempfile::tempdir().unwrap();
    let mut exits = Vec::new();
    for _ in 0..4 {
        exits.push(exec(&home, &[], "fake-codex: flaky 2 exit 9").await.0);
    }
    assert_eq!(exits, [Exit::Code(9), Exit::Code(9), Exit::Code(0), Exit::Code(0)]);
    let (exit, _, last, _) = exec(&home, &[], "fake-codex: flaky 1").await;
    assert_eq!((exit, last["type"].as_str()), (Exit::Code(1), Some("turn.failed")));
}

#[tokio::test]
async fn version_and_sign_in_are_what_the_folder_says() {
    let home = tempfile::tempdir().unwrap();
    let linked = home.path().join("codex");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fake-codex"), &linked).unwrap();
    let version = codex(&linked, &home, &["--version"], "").await;
    assert_eq!((version.exit, version.stdout.as_str()), (Exit::Code(0), "codex-cli 0.169.0\n"));
    let status = codex(&linked, &home, &["login", "status"], "").await;
    assert_eq!((status.exit, status.stderr.as_str()), (Exit::Code(0), "Logged in using ChatGPT\n"));
    fs::write(home.path().join("fake-codex.version"), "0.127.0").unwrap();
    fs::write(home.path().join("fake-codex.login"), "Not logged in").unwrap();
    let version = codex(&linked, &home, &["--version"], "").await;
    assert_eq!(version.stdout, "codex-cli 0.127.0\n");
    let status = codex(&linked, &home, &["login", "status"], "").await;
    assert_eq!((status.exit, status.stderr.as_str()), (Exit::Code(1), "Not logged in\n"));
}
