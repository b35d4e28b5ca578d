//! CRT-0, CRT-17: the capabilities that the court depends on are recorded as observed, available or missing.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::fixture::{Fixture, answer, context, decision, message};

/// What `cal.json` says of a capability; null where it was not seen.
fn seen(fixture: &Fixture, number: &str) -> Value {
    fixture.read(".claude/historian/cal.json")["metadata"]["capabilities"][number].clone()
}

fn mode(fixture: &Fixture) -> Value {
    fixture.read(".claude/historian/cal.json")["metadata"]["mode"].clone()
}

fn with_id(mut call: Value, id: &str) -> Value {
    call["tool_use_id"] = json!(id);
    call
}

/// The client's event after a call has run.
fn ran(fixture: &Fixture, id: &str) -> Value {
    fixture.call(
        "PostToolUse",
        json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": "touch a"},
            "tool_response": {"stdout": ""}}),
    )
}

/// A record in which a call ends with a result.
fn recorded(fixture: &Fixture, id: &str, is_error: bool, result: &str) {
    let call =
        json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "touch a"}});
    let end =
        json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": result});
    let lines = [
        json!({"type": "user", "message": {"content": "go"}}),
        json!({"type": "assistant", "message": {"id": "m", "content": [call]}}),
        json!({"type": "user", "message": {"content": [end]}}),
    ];
    fixture.write("transcript.jsonl", &lines.map(|line| format!("{line}\n")).concat());
}

fn stop(fixture: &Fixture, prompt: &str) -> Value {
    fixture.hook(&fixture.call("Stop", json!({"stop_hook_active": false, "prompt_id": prompt})))
}

fn phase(fixture: &Fixture) {
    let manifest = json!({"task_id": "t", "phases": {"current": "look", "definitions": {
        "look": {"allowed_tools": ["Read"]}}}});
    fixture.write(".court/manifest.json", &manifest.to_string());
}

#[test]
fn a_call_that_the_phase_refused_and_that_ran_is_noticed_and_recovers_by_one_that_did_not() {
    let fixture = Fixture::new();
    phase(&fixture);
    // A manifest that can be read shows nothing yet.
    stop(&fixture, "p0");
    assert_eq!(seen(&fixture, "V13"), Value::Null);

    let write = fixture.bash("touch a");
    assert_eq!(decision(&fixture.hook(&with_id(write.clone(), "w1"))), "deny");
    let told = message(&fixture.hook(&ran(&fixture, "w1")));
    assert!(told.contains("degraded (V13)") && told.contains("degraded (V10)"), "{told}");
    assert_eq!(seen(&fixture, "V13")["standing"], "degraded");
    assert_eq!(
        (seen(&fixture, "V10")["standing"].clone(), mode(&fixture)),
        (json!("degraded"), json!("degraded"))
    );
    // It is told of once.
    assert_eq!(message(&fixture.hook(&ran(&fixture, "w1"))), "");

    let refusal = fixture.hook(&with_id(write.clone(), "w2"));
    let text = refusal["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    recorded(&fixture, "w2", true, text);
    stop(&fixture, "p1");
    for number in ["V10", "V13"] {
        let seen = seen(&fixture, number);
        assert_eq!(
            (&seen["standing"], &seen["before"]["standing"]),
            (&json!("works"), &json!("degraded")),
            "{seen:#}"
        );
        assert!(seen["before"]["why"].as_str().unwrap().contains("ran all the same"), "{seen:#}");
    }
    // A record that says it ran counts as much as the event.
    assert_eq!(decision(&fixture.hook(&with_id(write, "w3"))), "deny");
    recorded(&fixture, "w3", false, "");
    stop(&fixture, "p2");
    assert_eq!(seen(&fixture, "V13")["standing"], "degraded");
}

#[test]
fn an_end_that_is_not_understood_shows_nothing() {
    let fixture = Fixture::new();
    fixture.hook(&with_id(fixture.bash("git push --force origin main"), "c1"));
    recorded(&fixture, "c1", true, "Blocked, in words of a later client");
    stop(&fixture, "p1");
    assert_eq!(seen(&fixture, "V10"), Value::Null);
    recorded(&fixture, "c1", true, "Court: level L2, so it did not run.");
    stop(&fixture, "p2");
    assert_eq!(seen(&fixture, "V10")["standing"], "works");
}

#[test]
fn a_hook_that_came_too_late_is_on_record_and_so_is_the_turn_without_one() {
    let mut fixture = Fixture::new();
    fixture.variables[0].1 = "200".to_owned();
    let mut child = fixture.court(&["hook"]).stdin(Stdio::piped()).spawn().unwrap();
    let open = child.stdin.take();
    assert_eq!(decision(&answer(child)), "ask");
    drop(open);
    fixture.variables[0].1 = "60000".to_owned();
    let told = context(&fixture.hook(&fixture.call("SessionStart", json!({"source": "startup"}))));
    assert!(told.contains("Mode: degraded: HOOK (no answer within 200 ms)"), "{told}");
    assert_eq!(seen(&fixture, "HOOK")["standing"], "degraded");
    stop(&fixture, "p1");
    let seen = seen(&fixture, "HOOK");
    assert_eq!(
        (&seen["standing"], &seen["before"]["standing"]),
        (&json!("works"), &json!("degraded")),
        "{seen:#}"
    );
}

#[test]
fn a_call_that_could_not_be_judged_is_on_record_until_a_turn_without_one() {
    let fixture = Fixture::new();
    fixture.hook(&fixture.call("SessionStart", json!({"source": "startup"})));
    for _ in 0..2 {
        fixture.hook(&fixture.bash("echo 'open"));
    }
    let found = seen(&fixture, "JUDGE");
    assert_eq!((&found["standing"], &found["times"]), (&json!("degraded"), &json!(2)), "{found:#}");
    stop(&fixture, "p1");
    assert_eq!(seen(&fixture, "JUDGE")["standing"], "degraded", "the turn had one");
    stop(&fixture, "p2");
    assert_eq!(seen(&fixture, "JUDGE")["standing"], "works");
    // A call with a doubt counts too.
    let mut odd = fixture.bash("ls");
    odd["session_id"] = json!(1);
    fixture.hook(&odd);
    assert_eq!(seen(&fixture, "JUDGE")["standing"], "degraded");
}

#[test]
fn a_ledger_that_could_not_be_written_has_it_on_record_once_it_can() {
    let fixture = Fixture::new();
    fixture.write(".claude/historian", "");
    let begin = fixture.call("SessionStart", json!({"source": "startup"}));
    let answer = fixture.hook(&begin);
    assert!(message(&answer).contains("degraded (STORE)"), "{answer}");
    assert!(context(&answer).contains("Mode: degraded: STORE"), "{answer}");
    fs::remove_file(fixture.file(".claude/historian")).unwrap();
    fixture.hook(&begin);
    assert_eq!(seen(&fixture, "STORE")["standing"], "degraded");
    stop(&fixture, "p1");
    let seen = seen(&fixture, "STORE");
    assert_eq!(
        (&seen["standing"], &seen["before"]["standing"]),
        (&json!("works"), &json!("degraded")),
        "{seen:#}"
    );
}

#[test]
fn a_folder_without_git_is_on_record_and_said_once() {
    let fixture = Fixture::new();
    assert!(message(&stop(&fixture, "p1")).contains("degraded (GIT)"));
    assert_eq!(message(&stop(&fixture, "p2")), "");
    assert_eq!(
        (seen(&fixture, "GIT")["standing"].clone(), mode(&fixture)),
        (json!("degraded"), json!("degraded"))
    );
}

#[test]
fn a_manifest_that_is_mended_is_on_record() {
    let fixture = Fixture::new();
    fixture.write(".court/manifest.json", "{}");
    fixture.hook(&fixture.bash("ls"));
    assert_eq!(seen(&fixture, "MANIFEST")["standing"], "degraded");
    phase(&fixture);
    stop(&fixture, "p1");
    assert_eq!(seen(&fixture, "MANIFEST")["standing"], "works");
    assert_eq!(seen(&fixture, "V13"), Value::Null, "held by none yet");
}

#[test]
fn what_a_newer_version_noted_is_no_damage() {
    let fixture = Fixture::new();
    let odd = json!({"V99": {"standing": "works", "why": "", "sinceMs": 1},
        "V10": {"standing": "half", "why": "", "since_ms": 1}});
    let ledger =
        json!({"anchors": [], "version": 1, "lastSeq": 0, "metadata": {"capabilities": odd}});
    fixture.write(".claude/historian/cal.json", &ledger.to_string());
    assert_eq!(fixture.json(&["status"])["mode"], "full");
    assert!(!fixture.file(".claude/historian/cal.json.corrupt-1").exists());
}
