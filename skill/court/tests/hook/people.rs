//! The commands for people: readable, in JSON, with exit codes, and total on closed pipes.

use std::process::Stdio;

use serde_json::json;

use crate::stage::{Stage, text};

#[test]
fn init_writes_what_is_absent_and_no_settings_of_the_client() {
    let stage = Stage::new();
    stage.write(".court/court.toml", "[gate]\nl2 = \"deny\"\n");
    let output = stage.run(&["init", "--manifest"]);
    let said = text(&output.stdout);
    assert!(output.status.success() && said.contains("claude plugin install"), "{said}");
    let settings = std::fs::read_to_string(stage.file(".court/court.toml")).unwrap();
    assert_eq!(settings, "[gate]\nl2 = \"deny\"\n");
    assert!(!stage.file(".claude/settings.json").exists());
    assert_eq!(stage.json(&["phase"])["phase"], "explore");
    std::fs::remove_file(stage.file(".court/court.toml")).unwrap();
    assert!(stage.run(&["init"]).status.success());
    assert_eq!(stage.json(&["status"])["faults"], json!([]));
}

#[test]
fn explain_shows_parse_level_and_rule() {
    let stage = Stage::new();
    let said = text(&stage.run(&["explain", "sudo bash -c 'rm -rf /etc/x'; ls"]).stdout);
    for part in ["Level L", "rm -rf /etc/x", "through sudo", "ls"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json = stage.json(&["explain", "ls"]);
    assert_eq!((&json["level"], &json["outcome"]), (&json!("L0"), &json!("judged")));
    let input = json!({"file_path": stage.file(".env")}).to_string();
    assert_eq!(stage.json(&["explain", "--tool", "Read", &input])["level"], "L2");
    assert_eq!(stage.run(&["explain", "--tool", "Read", "no json"]).status.code(), Some(2));
    assert!(stage.json(&["explain", "echo 'open"])["outcome"]["could_not_judge"].is_string());
}

#[test]
fn status_and_doctor_tell_what_is_wrong() {
    let stage = Stage::new();
    stage.write(".court/court.toml", "[court]\nfial = \"open\"\n");
    stage.write(".claude/settings.json", "{\"hooks\": ");
    stage.write(".claude/historian/cal.json", "{\"anchors\": ");
    let output = stage.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    for part in ["did you mean `court.fail`", "its hooks do not run", "cal.json.corrupt-1", "V10"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(stage.json(&["status"])["mode"], "full");
}

#[test]
fn doctor_knows_wiring_by_plugin_and_by_hand() {
    let stage = Stage::new();
    let wired = |stage: &Stage| stage.json(&["status"])["wired"].as_bool().unwrap();
    assert!(!wired(&stage));
    let entry = json!([{"hooks": [{"type": "command", "command": "court hook"}]}]);
    stage.write(".claude/settings.json", &json!({"hooks": {"PreToolUse": entry}}).to_string());
    assert!(text(&stage.run(&["doctor"]).stdout).contains("not wired for: SessionStart"));
    let plugin = json!({"enabledPlugins": {"court@codex-bridge": true}});
    stage.write(".claude/settings.json", &plugin.to_string());
    assert!(wired(&stage));
    stage.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    assert!(!wired(&stage));
}

#[test]
fn wrong_use_has_its_own_exit_code_and_a_hint() {
    let stage = Stage::new();
    for args in [
        &["frobnicate"][..],
        &["resolve"],
        &["resolve", "risk_9"],
        &["approve", "R9"],
        &["packets", "7"],
    ] {
        let output = stage.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
    for args in [
        &["--help"][..],
        &["approve", "--help"],
        &["completions", "bash"],
        &["approve"],
        &["ledger"],
        &["packets"],
        &["phase"],
    ] {
        let output = stage.run(args);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let stage = Stage::new();
    for args in [&["status"][..], &["completions", "zsh"], &["explain", "ls"], &["--help"]] {
        let mut child = stage.court(args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    }
    let mut hook = stage.court(&["hook"]);
    hook.stdin(Stdio::piped());
    let mut child = hook.spawn().unwrap();
    drop(child.stdout.take());
    use std::io::Write;
    let call = stage.bash("rm -rf /").to_string();
    let _ = child.stdin.take().unwrap().write_all(call.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}
