//! CRT-16: the plugin's hooks call the program for every event that it answers, and its shim is quiet.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::stage::text;

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../court-plugin")
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
        // Longer than the program's own deadline, so that it is the program that answers.
        assert!(hook["timeout"].as_u64().unwrap() >= 3, "{event}");
        assert!(entries[0].get("matcher").is_none(), "{event}: every tool is judged");
    }
}

#[test]
fn the_shim_becomes_the_program_or_is_quiet() {
    let program = Path::new(env!("CARGO_BIN_EXE_court"));
    let found = shim(program.parent().unwrap(), &["--version"], "");
    assert!(text(&found.stdout).starts_with("court "), "{}", text(&found.stderr));
    let nowhere = Path::new("/nonexistent");
    let start = shim(nowhere, &["hook"], "{\"hook_event_name\":\"SessionStart\"}\n");
    let said: Value = serde_json::from_slice(&start.stdout).unwrap();
    assert!(said["systemMessage"].as_str().unwrap().contains("not installed"), "{said}");
    let tool = shim(nowhere, &["hook"], "{\"hook_event_name\":\"PreToolUse\"}\n");
    assert_eq!((tool.status.code(), tool.stdout.len()), (Some(0), 0));
    assert_eq!(shim(nowhere, &["status"], "").status.code(), Some(1));
}

#[test]
fn both_plugins_find_programs_the_same_way() {
    let ours = fs::read_to_string(plugin().join("lib/installed.sh")).unwrap();
    let other = fs::read_to_string(plugin().join("../plugin/lib/installed.sh")).unwrap();
    assert_eq!(ours, other);
}
