//! CRT-10, CRT-11: phases are shown and enforced; the main agent is distinguished from sub-agents.

use std::fs;

use serde_json::{Value, json};

use crate::approver::at_terminal;
use crate::fixture::{Fixture, context, decision, message, reason};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let manifest = json!({
        "task_id": "shop-7",
        "phases": {"current": "build", "definitions": {
            "explore": {"allowed_tools": ["Task", "Read", "Glob", "Grep"]},
            "build": {"allowed_tools": ["Task", "Read", "Grep", "Write", "mcp__shop__*"],
                      "mcp_visibility": ["shop"], "skill_summaries": {"sql": "writes queries"}},
        }},
        "global_rules": ["no new dependency"],
        "kept": {"as": "it is"},
    });
    fixture.write(".court/manifest.json", &serde_json::to_string_pretty(&manifest).unwrap());
    assert_eq!(at_terminal(&fixture, &["accept", "manifest"], &[]).code, Some(0));
    fixture
}

fn sub(mut call: Value, kind: &str) -> Value {
    call["agent_id"] = json!("a1");
    call["agent_type"] = json!(kind);
    call
}

#[test]
fn a_session_begins_with_phase_tools_and_rules() {
    let fixture = fixture();
    let shown = context(&fixture.hook(&fixture.call("SessionStart", json!({"source": "startup"}))));
    for part in ["shop-7", "Phase: build", "mcp__shop__*", "no new dependency", "sql"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn tools_outside_the_phase_are_denied() {
    let fixture = fixture();
    let write = || fixture.before("Write", json!({"file_path": fixture.file("a"), "content": ""}));
    let agent = || {
        fixture.before("Agent", json!({"description": "d", "prompt": "p", "subagent_type": "w"}))
    };
    for (call, expected) in [
        (agent(), "silence"),
        (fixture.before("Read", json!({"file_path": fixture.file("a")})), "silence"),
        (write(), "deny"),
        (fixture.bash("touch a"), "deny"),
        (fixture.bash("grep -rn x ."), "silence"),
        (fixture.bash("grep -rn x . > a"), "deny"),
        (fixture.before("Skill", json!({"skill": "x"})), "deny"),
        (sub(write(), "worker"), "silence"),
        (sub(agent(), "worker"), "silence"),
        (sub(fixture.before("Edit", json!({"file_path": fixture.file("a")})), "worker"), "deny"),
        (sub(fixture.bash("cargo build"), "worker"), "deny"),
        (sub(fixture.bash("cargo build"), "court:historian"), "silence"),
        (sub(fixture.before("mcp__shop__list_orders", json!({})), "worker"), "silence"),
        (sub(fixture.before("mcp__mail__list", json!({})), "worker"), "deny"),
    ] {
        let answer = fixture.hook(&call);
        assert_eq!(decision(&answer), expected, "{call}: {answer}");
    }
    let answer = fixture.hook(&sub(fixture.before("WebSearch", json!({"query": "q"})), "worker"));
    assert!(reason(&answer).contains("phase `build`"), "{answer}");
    assert!(reason(&answer).contains("court phase"), "{answer}");
}

#[test]
fn the_user_changes_the_phase_and_nothing_else_in_the_file() {
    let fixture = fixture();
    let before = fixture.read(".court/manifest.json");
    assert_eq!(at_terminal(&fixture, &["phase", "explore"], &[]).code, Some(0));
    let mut expected = before;
    expected["phases"]["current"] = json!("explore");
    assert_eq!(fixture.read(".court/manifest.json"), expected);
    assert_eq!(fixture.json(&["accept"])["manifest"], true, "the user's own change stays accepted");
    assert_eq!(fixture.read(".court/cursor.json")["steps"][0]["phase"], "explore");
    assert_eq!(at_terminal(&fixture, &["phase", "deploy"], &[]).code, Some(2));
    let inside = fixture.court(&["phase", "build"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(inside.status.code(), Some(1));
}

#[test]
fn a_manifest_with_a_fault_is_told_of_and_left_alone() {
    let mut fixture = fixture();
    for text in [
        "{\"task_id\": ",
        "{}",
        r#"{"task_id":"t","phases":{"current":"x","definitions":{"y":{"allowed_tools":[]}}}}"#,
    ] {
        fixture.write(".court/manifest.json", text);
        let answer = fixture.hook(&fixture.bash("cargo build"));
        assert_eq!(decision(&answer), "silence");
        assert!(message(&answer).contains("MANIFEST"), "{answer}");
        assert_eq!(fs::read_to_string(fixture.file(".court/manifest.json")).unwrap(), text);
    }
    fixture.variables.push(("COURT_FAIL", "closed".to_owned()));
    assert_eq!(decision(&fixture.hook(&fixture.bash("cargo build"))), "deny");
}
