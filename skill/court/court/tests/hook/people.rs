//! The commands for people: readable, in JSON, with exit codes, and total on closed pipes.

use std::process::Stdio;

use serde_json::json;

use crate::approver::at_terminal;
use crate::stage::{Stage, text};
use crate::terminal::is_below_a_client;

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

/// A client that says it is of this version.
fn client(stage: &mut Stage, version: &str) {
    use std::os::unix::fs::PermissionsExt;
    let program = stage.file("../bin/claude");
    stage.write("../bin/claude", &format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let folder = program.parent().unwrap().canonicalize().unwrap();
    stage.variables.retain(|(name, _)| *name != "PATH");
    stage.variables.push(("PATH", format!("{}:/usr/bin:/bin", folder.display())));
}

#[test]
fn doctor_compares_the_client_with_the_proven_one_and_tells_the_known_limits() {
    let mut stage = Stage::new();
    let doctor = |stage: &Stage| text(&stage.run(&["doctor"]).stdout);
    let said = doctor(&stage);
    for part in [
        "no `claude` on PATH",
        "disableAllHooks",
        "Conversation cannot be replaced",
        "A compaction",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    client(&mut stage, "2.1.197");
    assert!(doctor(&stage).contains("ok     client       Claude Code 2.1.197, the proven version"));
    client(&mut stage, "2.9.1");
    let said = doctor(&stage);
    let expected = "note   client       Claude Code 2.9.1 is newer than 2.1.197, the proven version: hooks, transcript words";
    assert!(said.contains(expected), "{said}");
    assert_eq!(stage.json(&["doctor"])["limits"].as_array().unwrap().len(), 8);
    // A tool of the client may not have a program started that it put on the path.
    let inside = stage.court(&["doctor"]).env("CLAUDECODE", "1").output().unwrap();
    assert!(!text(&inside.stdout).contains("2.9.1"), "{}", text(&inside.stdout));

    let slug: String = stage
        .project()
        .to_str()
        .unwrap()
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() { char } else { '-' })
        .collect();
    let record = format!("../home/.claude/projects/{slug}/s.jsonl");
    let line = json!({"type": "user", "version": "2.1.198", "message": {"content": "go"}});
    stage.write(&record, &format!("{line}\n"));
    assert!(doctor(&stage).contains("the newest record here: Claude Code 2.1.198 is newer"));
    stage.write(&record, "{\"type\": \"user\", \"words\": \"in another shape\"}\n");
    assert!(doctor(&stage).contains("1 of 1 messages of the newest record are not understood"));
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

#[test]
fn what_a_clone_brings_and_what_holds_a_turn_takes_a_persons_terminal() {
    if is_below_a_client() {
        return;
    }
    let stage = Stage::new();
    stage.write(".court/court.toml", "[court]\nenabled = false\n");
    assert!(stage.run(&["init", "--manifest"]).status.success(), "it creates, and lifts nothing");
    let ledger = json!({"anchors": [
        {"id": "r", "type": "RISK_HIGH", "content": "the key is public", "createdAt": 1},
        {"id": "t", "type": "TASK_ACTIVE", "content": "look", "createdAt": 1}],
        "version": 1, "lastSeq": 2});
    stage.write(".claude/historian/cal.json", &ledger.to_string());
    let refused = |args: &[&str]| {
        let output = stage.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains("there is no terminal"), "{args:?}: {said}");
    };
    let state = || {
        let accepted = stage.json(&["accept"]);
        (accepted, stage.json(&["phase"])["phase"].clone(), stage.json(&["ledger"]))
    };
    let before = state();
    let granting: [&[&str]; 4] = [
        &["accept", "settings"],
        &["accept", "manifest"],
        &["accept", "ledger"],
        &["phase", "build"],
    ];
    for args in granting {
        refused(args);
    }
    assert_eq!(state(), before);
    for args in granting {
        let said = at_terminal(&stage, args, &[]);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.text);
    }
    let granted = state();
    assert_eq!((&granted.0["settings"], &granted.1), (&json!(true), &json!("build")));
    for id in ["r", "t"] {
        refused(&["resolve", id]);
    }
    assert_eq!(state(), granted);
    let said = at_terminal(&stage, &["resolve", "r", "t"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}
