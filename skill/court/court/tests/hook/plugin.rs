//! CRT-16: the plugin's hooks call the program for every event that it answers, and its shim is quiet.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::fixture::text;

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugin")
}

fn shim(bin_dir: &Path, args: &[&str], call: &str) -> Output {
    let mut child = Command::new(plugin().join("bin/court"))
        .args(args)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("CODEX_BRIDGE_BIN_DIR", bin_dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(call.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn every_event_that_is_answered_is_wired() {
    let hooks: Value =
        serde_json::from_str(&fs::read_to_string(plugin().join("hooks/hooks.json")).unwrap())
            .unwrap();
    let mut wired: Vec<&String> = hooks["hooks"].as_object().unwrap().keys().collect();
    wired.sort();
    assert_eq!(
        wired,
        [
            "PostToolUse",
            "PostToolUseFailure",
            "PreToolUse",
            "SessionEnd",
            "SessionStart",
            "Stop",
            "StopFailure",
            "SubagentStop",
        ]
    );
    for (event, entries) in hooks["hooks"].as_object().unwrap() {
        let hook = &entries[0]["hooks"][0];
        assert_eq!(hook["command"], "${CLAUDE_PLUGIN_ROOT}/bin/court", "{event}");
        assert_eq!(hook["args"], json!(["hook"]), "{event}");
        // Longer than the program's own deadline, so that it is the program that answers: the client
        // lets a tool run whose hook it ended.
        let least = if event == "PreToolUse" { 61 } else { 3 };
        assert!(hook["timeout"].as_u64().unwrap() >= least, "{event}");
        assert!(entries[0].get("matcher").is_none(), "{event}: every tool is judged");
    }
}

#[test]
fn the_shim_becomes_the_program_or_says_that_there_is_none() {
    let program = Path::new(env!("CARGO_BIN_EXE_court"));
    let found = shim(program.parent().unwrap(), &["--version"], "");
    assert!(text(&found.stdout).starts_with("court "), "{}", text(&found.stderr));
    let nowhere = Path::new("/nonexistent");
    let start = shim(nowhere, &["hook"], "{\"hook_event_name\":\"SessionStart\"}\n");
    let said: Value = serde_json::from_slice(&start.stdout).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().contains("not installed"), "{said}");
    let tool = shim(nowhere, &["hook"], "{\"hook_event_name\":\"PreToolUse\"}\n");
    assert_eq!(asked(&tool), "ask");
    let stop = shim(nowhere, &["hook"], "{\"hook_event_name\":\"Stop\"}\n");
    assert_eq!((stop.status.code(), stop.stdout.len()), (Some(0), 0));
    assert_eq!(shim(nowhere, &["status"], "").status.code(), Some(1));
}

fn asked(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    said["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
}

#[test]
fn a_program_that_dies_is_no_yes() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("court");
    for script in ["kill -9 $$", "kill -SEGV $$", "echo '{\"half'; exit 134", "exit 1"] {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let call = "{\"hook_event_name\":\"PreToolUse\"}\n";
        assert_eq!(asked(&shim(folder.path(), &["hook"], call)), "ask", "{script}");
    }
    // The real one, without the memory that it needs.
    let court = env!("CARGO_BIN_EXE_court");
    let script = format!("#!/bin/sh\nulimit -v 20000\nexec {court} \"$@\"\n");
    fs::write(&program, script).unwrap();
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t",
        "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "x".repeat(30_000_000)}});
    let said = asked(&shim(folder.path(), &["hook"], &call.to_string()));
    assert!(said == "ask" || said == "deny", "{said}");
}

#[test]
fn both_plugins_find_programs_the_same_way() {
    let ours = fs::read_to_string(plugin().join("lib/installed.sh")).unwrap();
    let other = fs::read_to_string(plugin().join("../../advisor/plugin/lib/installed.sh")).unwrap();
    assert_eq!(ours, other);
}
