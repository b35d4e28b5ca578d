//! The commands for users: readable, in JSON, with exit codes, and with closed pipes.

use std::process::Stdio;

use serde_json::json;

use crate::approver::at_terminal;
use crate::fixture::{Fixture, text};
use crate::terminal::is_below_a_client;

#[test]
fn init_writes_what_is_absent_and_no_settings_of_the_client() {
    let fixture = Fixture::new();
    fixture.write(".court/court.toml", "[gate]\nl2 = \"deny\"\n");
    let output = fixture.run(&["init", "--manifest"]);
    let said = text(&output.stdout);
    assert!(output.status.success() && said.contains("claude plugin install"), "{said}");
    let settings = std::fs::read_to_string(fixture.file(".court/court.toml")).unwrap();
    assert_eq!(settings, "[gate]\nl2 = \"deny\"\n");
    assert!(!fixture.file(".claude/settings.json").exists());
    assert_eq!(fixture.json(&["phase"])["phase"], "explore");
    std::fs::remove_file(fixture.file(".court/court.toml")).unwrap();
    assert!(fixture.run(&["init"]).status.success());
    assert_eq!(fixture.json(&["status"])["faults"], json!([]));
}

#[test]
fn explain_shows_parse_level_and_rule() {
    let fixture = Fixture::new();
    let said = text(&fixture.run(&["explain", "sudo bash -c 'rm -rf /etc/x'; ls"]).stdout);
    for part in ["Level L", "rm -rf /etc/x", "through sudo", "ls"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let json = fixture.json(&["explain", "ls"]);
    assert_eq!((&json["level"], &json["outcome"]), (&json!("L0"), &json!("judged")));
    let input = json!({"file_path": fixture.file(".env")}).to_string();
    assert_eq!(fixture.json(&["explain", "--tool", "Read", &input])["level"], "L2");
    assert_eq!(fixture.run(&["explain", "--tool", "Read", "no json"]).status.code(), Some(2));
    assert!(fixture.json(&["explain", "echo 'open"])["outcome"]["could_not_judge"].is_string());
}

#[test]
fn status_and_doctor_tell_what_is_wrong() {
    let fixture = Fixture::new();
    fixture.write(".court/court.toml", "[court]\nfial = \"open\"\n");
    fixture.write(".claude/settings.json", "{\"hooks\": ");
    fixture.write(".claude/historian/cal.json", "{\"anchors\": ");
    let output = fixture.run(&["doctor"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    for part in ["did you mean `court.fail`", "its hooks do not run", "cal.json.corrupt-1", "V10"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(fixture.json(&["status"])["mode"], "full");
}

/// A client that says it is of this version.
fn client(fixture: &mut Fixture, version: &str) {
    use std::os::unix::fs::PermissionsExt;
    let program = fixture.file("../bin/claude");
    fixture.write("../bin/claude", &format!("#!/bin/sh\necho '{version} (Claude Code)'\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let folder = program.parent().unwrap().canonicalize().unwrap();
    fixture.variables.retain(|(name, _)| *name != "PATH");
    fixture.variables.push(("PATH", format!("{}:/usr/bin:/bin", folder.display())));
}

#[test]
fn doctor_compares_the_client_with_the_proven_one_and_tells_the_known_limits() {
    let mut fixture = Fixture::new();
    let doctor = |fixture: &Fixture| text(&fixture.run(&["doctor"]).stdout);
    let said = doctor(&fixture);
    for part in [
        "no `claude` on PATH",
        "disableAllHooks",
        "Conversation cannot be replaced",
        "A compaction",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    client(&mut fixture, "2.1.197");
    assert!(
        doctor(&fixture).contains("ok     client       Claude Code 2.1.197, the proven version")
    );
    client(&mut fixture, "2.9.1");
    let said = doctor(&fixture);
    let expected = "note   client       Claude Code 2.9.1 is newer than 2.1.197, the proven version: hooks, transcript words";
    assert!(said.contains(expected), "{said}");
    assert_eq!(fixture.json(&["doctor"])["limits"].as_array().unwrap().len(), 8);
    // A tool of the client may not have a program started that it put on the path.
    let inside = fixture.court(&["doctor"]).env("CLAUDECODE", "1").output().unwrap();
    assert!(!text(&inside.stdout).contains("2.9.1"), "{}", text(&inside.stdout));

    let slug: String = fixture
        .project()
        .to_str()
        .unwrap()
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() { char } else { '-' })
        .collect();
    let record = format!("../home/.claude/projects/{slug}/s.jsonl");
    let line = json!({"type": "user", "version": "2.1.198", "message": {"content": "go"}});
    fixture.write(&record, &format!("{line}\n"));
    assert!(doctor(&fixture).contains("the newest record here: Claude Code 2.1.198 is newer"));
    fixture.write(&record, "{\"type\": \"user\", \"words\": \"in another shape\"}\n");
    assert!(doctor(&fixture).contains("1 of 1 messages of the newest record are not understood"));
}

#[test]
fn doctor_knows_wiring_by_plugin_and_by_hand() {
    let fixture = Fixture::new();
    let wired = |fixture: &Fixture| fixture.json(&["status"])["wired"].as_bool().unwrap();
    assert!(!wired(&fixture));
    let entry = json!([{"hooks": [{"type": "command", "command": "court hook"}]}]);
    fixture.write(".claude/settings.json", &json!({"hooks": {"PreToolUse": entry}}).to_string());
    assert!(text(&fixture.run(&["doctor"]).stdout).contains("not wired for: SessionStart"));
    let plugin = json!({"enabledPlugins": {"court@codex-bridge": true}});
    fixture.write(".claude/settings.json", &plugin.to_string());
    assert!(wired(&fixture));
    fixture.write(".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    assert!(!wired(&fixture));
}

#[test]
fn wrong_use_has_its_own_exit_code_and_a_hint() {
    let fixture = Fixture::new();
    for args in [
        &["frobnicate"][..],
        &["resolve"],
        &["resolve", "risk_9"],
        &["approve", "R9"],
        &["packets", "7"],
    ] {
        let output = fixture.run(args);
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
        let output = fixture.run(args);
        assert!(output.status.success() && !output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_panic() {
    let fixture = Fixture::new();
    for args in [&["status"][..], &["completions", "zsh"], &["explain", "ls"], &["--help"]] {
        let mut child = fixture.court(args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(!text(&output.stderr).contains("panicked"), "{}", text(&output.stderr));
    }
    let mut hook = fixture.court(&["hook"]);
    hook.stdin(Stdio::piped());
    let mut child = hook.spawn().unwrap();
    drop(child.stdout.take());
    use std::io::Write;
    let call = fixture.bash("rm -rf /").to_string();
    let _ = child.stdin.take().unwrap().write_all(call.as_bytes());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn what_a_clone_brings_and_what_holds_a_turn_takes_a_persons_terminal() {
    if is_below_a_client() {
        return;
    }
    let fixture = Fixture::new();
    fixture.write(".court/court.toml", "[court]\nenabled = false\n");
    assert!(fixture.run(&["init", "--manifest"]).status.success(), "it creates, and lifts nothing");
    let ledger = json!({"anchors": [
        {"id": "r", "type": "RISK_HIGH", "content": "the key is public", "createdAt": 1},
        {"id": "t", "type": "TASK_ACTIVE", "content": "look", "createdAt": 1}],
        "version": 1, "lastSeq": 2});
    fixture.write(".claude/historian/cal.json", &ledger.to_string());
    let refused = |args: &[&str]| {
        let output = fixture.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = text(&output.stderr);
        assert!(said.contains("there is no terminal"), "{args:?}: {said}");
    };
    let state = || {
        let accepted = fixture.json(&["accept"]);
        (accepted, fixture.json(&["phase"])["phase"].clone(), fixture.json(&["ledger"]))
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
        let said = at_terminal(&fixture, args, &[]);
        assert_eq!(said.code, Some(0), "{args:?}: {}", said.text);
    }
    let granted = state();
    assert_eq!((&granted.0["settings"], &granted.1), (&json!(true), &json!("build")));
    for id in ["r", "t"] {
        refused(&["resolve", id]);
    }
    assert_eq!(state(), granted);
    let said = at_terminal(&fixture, &["resolve", "r", "t"], &[]);
    assert_eq!(said.code, Some(0), "{}", said.text);
}
