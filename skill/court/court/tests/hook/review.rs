//! A review permits one call, once, and cannot be obtained by the agents under review.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::approver::at_terminal;
use crate::fixture::{Fixture, decision, message, reason, text};
use crate::terminal::is_below_a_client;

const PUSH: &str = "git push --force origin main";

#[test]
fn an_approval_of_the_user_is_for_one_call_once() {
    if is_below_a_client() {
        return;
    }
    let fixture = Fixture::new();
    fixture.hook(&fixture.bash(PUSH));
    let said = at_terminal(&fixture, &["approve", "R1"], &[]);
    assert!(said.code == Some(0) && said.text.contains(PUSH), "{}", said.text);

    let mut elsewhere = fixture.bash(PUSH);
    elsewhere["cwd"] = json!(fixture.file("src"));
    assert_eq!(decision(&fixture.hook(&elsewhere)), "deny");
    assert_eq!(decision(&fixture.hook(&fixture.bash("git push --force origin  main"))), "deny");

    let answer = fixture.hook(&fixture.bash(PUSH));
    assert_eq!(decision(&answer), "silence");
    assert!(message(&answer).contains("approved by the user"), "{answer}");
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
}

#[test]
fn without_a_key_an_approval_takes_a_terminal_of_the_users() {
    if is_below_a_client() {
        return;
    }
    let mut fixture = Fixture::new();
    fixture.hook(&fixture.bash(PUSH));
    let output = fixture.run(&["approve", "R1"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no terminal"), "{}", text(&output.stderr));
    fixture.variables.push(("LD_LIBRARY_PATH", "/nonexistent".to_owned()));
    assert_eq!(at_terminal(&fixture, &["approve", "R1"], &[]).code, Some(1));
    fixture.variables.pop();
    fixture.variables.push(("CLAUDECODE", "1".to_owned()));
    assert_eq!(at_terminal(&fixture, &["approve", "R1"], &[]).code, Some(1));
    fixture.variables.pop();
    assert_eq!(at_terminal(&fixture, &["approve", "R1"], &[]).code, Some(0));
}

#[test]
fn an_approval_expires() {
    if is_below_a_client() {
        return;
    }
    let fixture = Fixture::new();
    fixture.hook(&fixture.bash(PUSH));
    assert_eq!(at_terminal(&fixture, &["approve", "R1"], &[]).code, Some(0));
    let file = fixture.grant("reviews.json");
    let mut reviews = fixture.read(&file);
    reviews["approvals"][0]["expires_ms"] = json!(1);
    reviews["approvals"][0]["lasts"]["until_ms"] = json!(1);
    std::fs::write(file, reviews.to_string()).unwrap();
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
}

#[test]
fn the_main_agent_cannot_approve() {
    let fixture = Fixture::new();
    fixture.hook(&fixture.bash(PUSH));
    for command in [
        "court approve R1",
        "env -u CLAUDECODE court approve R1",
        "bash -c 'court approve R1'",
        "/usr/local/bin/court --json approve R1",
        "true && court resolve risk_1",
        "echo '{}' | court hook",
        "court phase build",
        "court init",
        "court $(echo approve) R1",
    ] {
        let answer = fixture.hook(&fixture.bash(command));
        assert_eq!(decision(&answer), "deny", "{command}: {answer}");
    }
    let mut worker = fixture.bash("court approve R1");
    worker["agent_id"] = json!("a1");
    worker["agent_type"] = json!("general-purpose");
    assert_eq!(decision(&fixture.hook(&worker)), "deny");
    for command in ["court status", "court explain 'rm -rf /'", "court approve --help"] {
        let denied = decision(&fixture.hook(&fixture.bash(command))) == "deny";
        assert_eq!(denied, command.contains("approve"), "{command}");
    }
    // And where a hook was not asked, the command itself refuses.
    let output = fixture.court(&["approve", "R1"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("for the user at a terminal"));
}

#[test]
fn the_historian_approves_with_a_ticket_for_one_command() {
    let fixture = Fixture::new();
    fixture.hook(&fixture.bash(PUSH));
    let as_historian = |command: &str| {
        let mut call = fixture.bash(command);
        call["agent_id"] = json!("a9");
        call["agent_type"] = json!("court:historian");
        call
    };
    for command in ["court approve R1; ls", "sudo court approve R1", "court approve R$N"] {
        assert_eq!(decision(&fixture.hook(&as_historian(command))), "deny", "{command}");
    }
    assert_eq!(decision(&fixture.hook(&as_historian("court approve R1"))), "silence");
    let inside = |args: &[&str]| fixture.court(args).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(inside(&["approve", "R2"]).status.code(), Some(1));
    assert!(inside(&["approve", "R1"]).status.success());
    assert_eq!(inside(&["approve", "R1"]).status.code(), Some(1), "the ticket is used");
    let answer = fixture.hook(&fixture.bash(PUSH));
    assert!(message(&answer).contains("approved by the historian"), "{answer}");
}

#[test]
fn without_codex_the_historian_reviews_and_it_is_said() {
    let (mut fixture, _) = Fixture::new().installed();
    fixture.variables.push(("COURT_REVIEWER", "codex".to_owned()));
    let answer = fixture.hook(&fixture.bash(PUSH));
    assert!(reason(&answer).contains("court review R1"), "{answer}");
    let output = fixture.run(&["review", "R1"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stdout);
    assert!(said.contains("codex-advisor; install it beside this program"), "{said}");
    assert!(said.contains("The historian reviews instead"), "{said}");
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
}

/// Writes a program that stands in for codex-advisor; that it is asked a valid question is tested with the real one.
fn stand_in(folder: &Path, plan: &str) {
    let script = format!(
        "#!/bin/sh\ngrep -q '\"phase\":\"initial\"' || exit 2\n\
         echo '{{\"recommendation\": {{\"preferred_plan\": \"{plan}\", \"reason\": \"why\"}}}}'\n"
    );
    fs::create_dir_all(folder).unwrap();
    let path = folder.join("codex-advisor");
    fs::write(&path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn codex_approves_only_by_a_clear_recommendation() {
    let (mut fixture, folder) = Fixture::new().installed();
    fixture.variables.push(("COURT_REVIEWER", "codex".to_owned()));
    fixture.hook(&fixture.bash(PUSH));
    for (plan, approves) in [("refuse", false), ("none", false), ("approve", true)] {
        stand_in(&folder, plan);
        assert_eq!(fixture.run(&["review", "R1"]).status.success(), approves, "{plan}");
    }
    let answer = fixture.hook(&fixture.bash(PUSH));
    assert!(message(&answer).contains("approved by the advisor"), "{answer}");
}

/// A model's shell sets variables, and its tools write programs where a search path leads.
#[test]
fn no_variable_and_no_search_path_names_the_reviewer() {
    let (mut fixture, installed) = Fixture::new().installed();
    let folder = fixture.file("bin");
    stand_in(&folder, "approve");
    fixture.variables.push(("COURT_REVIEWER", "codex".to_owned()));
    fixture.variables.push(("CODEX_BRIDGE_BIN_DIR", folder.display().to_string()));
    fixture.variables.push(("PATH", format!("{}:/usr/bin:/bin", folder.display())));
    fixture.hook(&fixture.bash(PUSH));
    assert!(!fixture.run(&["review", "R1"]).status.success());
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
    // Neither is one that any user could have put there.
    stand_in(&installed, "approve");
    let program = installed.join("codex-advisor");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o777)).unwrap();
    let output = fixture.run(&["review", "R1"]);
    assert!(text(&output.stdout).contains("can be replaced by, another user"), "{output:?}");
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
}
