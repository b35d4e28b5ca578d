//! CRT-10, CRT-11: phases are shown and held; the main agent is told from sub-agents.

use std::fs;

use serde_json::{Value, json};

use crate::approver::at_terminal;
use crate::stage::{Stage, context, decision, message, reason};

fn stage() -> Stage {
    let stage = Stage::new();
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
    stage.write(".court/manifest.json", &serde_json::to_string_pretty(&manifest).unwrap());
    assert_eq!(at_terminal(&stage, &["accept", "manifest"], &[]).code, Some(0));
    stage
}

fn sub(mut call: Value, kind: &str) -> Value {
    call["agent_id"] = json!("a1");
    call["agent_type"] = json!(kind);
    call
}

#[test]
fn a_session_begins_with_phase_tools_and_rules() {
    let stage = stage();
    let shown = context(&stage.hook(&stage.call("SessionStart", json!({"source": "startup"}))));
    for part in ["shop-7", "Phase: build", "mcp__shop__*", "no new dependency", "sql"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[test]
fn tools_outside_the_phase_are_denied() {
    let stage = stage();
    let write = || stage.before("Write", json!({"file_path": stage.file("a"), "content": ""}));
    let agent =
        || stage.before("Agent", json!({"description": "d", "prompt": "p", "subagent_type": "w"}));
    for (call, expected) in [
        (agent(), "silence"),
        (stage.before("Read", json!({"file_path": stage.file("a")})), "silence"),
        (write(), "deny"),
        (stage.bash("touch a"), "deny"),
        (stage.bash("grep -rn x ."), "silence"),
        (stage.bash("grep -rn x . > a"), "deny"),
        (stage.before("Skill", json!({"skill": "x"})), "deny"),
        (sub(write(), "worker"), "silence"),
        (sub(agent(), "worker"), "silence"),
        (sub(stage.before("Edit", json!({"file_path": stage.file("a")})), "worker"), "deny"),
        (sub(stage.bash("cargo build"), "worker"), "deny"),
        (sub(stage.bash("cargo build"), "court:historian"), "silence"),
        (sub(stage.before("mcp__shop__list_orders", json!({})), "worker"), "silence"),
        (sub(stage.before("mcp__mail__list", json!({})), "worker"), "deny"),
    ] {
        let answer = stage.hook(&call);
        assert_eq!(decision(&answer), expected, "{call}: {answer}");
    }
    let answer = stage.hook(&sub(stage.before("WebSearch", json!({"query": "q"})), "worker"));
    assert!(reason(&answer).contains("phase `build`"), "{answer}");
    assert!(reason(&answer).contains("court phase"), "{answer}");
}

#[test]
fn the_user_changes_the_phase_and_nothing_else_in_the_file() {
    let stage = stage();
    let before = stage.read(".court/manifest.json");
    assert_eq!(at_terminal(&stage, &["phase", "explore"], &[]).code, Some(0));
    let mut expected = before;
    expected["phases"]["current"] = json!("explore");
    assert_eq!(stage.read(".court/manifest.json"), expected);
    assert_eq!(stage.json(&["accept"])["manifest"], true, "the user's own change stays accepted");
    assert_eq!(stage.read(".court/cursor.json")["steps"][0]["phase"], "explore");
    assert_eq!(at_terminal(&stage, &["phase", "deploy"], &[]).code, Some(2));
    let inside = stage.court(&["phase", "build"]).env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(inside.status.code(), Some(1));
}

#[test]
fn a_manifest_with_a_fault_is_told_of_and_left_alone() {
    let mut stage = stage();
    for text in [
        "{\"task_id\": ",
        "{}",
        r#"{"task_id":"t","phases":{"current":"x","definitions":{"y":{"allowed_tools":[]}}}}"#,
    ] {
        stage.write(".court/manifest.json", text);
        let answer = stage.hook(&stage.bash("cargo build"));
        assert_eq!(decision(&answer), "silence");
        assert!(message(&answer).contains("MANIFEST"), "{answer}");
        assert_eq!(fs::read_to_string(stage.file(".court/manifest.json")).unwrap(), text);
    }
    stage.variables.push(("COURT_FAIL", "closed".to_owned()));
    assert_eq!(decision(&stage.hook(&stage.bash("cargo build"))), "deny");
}
