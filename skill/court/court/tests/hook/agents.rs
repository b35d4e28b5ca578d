//! Sub-agents that end early, late, badly or not at all, including the historian.

use serde_json::{Value, json};

use crate::fixture::{Fixture, context, message};

fn nodes(fixture: &Fixture) -> Vec<Value> {
    match fixture.file(".claude/historian/delegation-tree.json").exists() {
        true => fixture.read(".claude/historian/delegation-tree.json").as_array().unwrap().clone(),
        false => Vec::new(),
    }
}

fn launched(fixture: &Fixture, task: &str, agent: &str) -> Value {
    let mut call = fixture.after_agent(task, "");
    call["tool_response"] = json!({"status": "async_launched", "agentId": agent});
    call
}

fn ended(fixture: &Fixture, agent: &str, kind: &str, words: &str) -> Value {
    fixture.call(
        "SubagentStop",
        json!({"agent_id": agent, "agent_type": kind, "stop_hook_active": false,
            "last_assistant_message": words}),
    )
}

fn historian(fixture: &Fixture, id: &str, words: &str) -> Value {
    let mut call = fixture.after_agent(id, words);
    call["tool_input"]["subagent_type"] = json!("court:historian");
    call["tool_response"]["agentType"] = json!("court:historian");
    call
}

#[test]
fn background_work_is_measured_however_it_ends() {
    let fixture = Fixture::new();
    fixture.hook(&launched(&fixture, "t1", "a1"));
    assert!(nodes(&fixture).is_empty());
    let failure = json!({"agent_id": "a1", "agent_type": "worker", "error": "rate_limit",
        "last_assistant_message": "API Error: 429"});
    fixture.hook(&fixture.call("StopFailure", failure));
    // Its end is heard of before its call.
    fixture.hook(&ended(&fixture, "a2", "worker", "Done.\nConfidence: high"));
    assert_eq!(nodes(&fixture).len(), 1);
    fixture.hook(&launched(&fixture, "t2", "a2"));
    fixture.hook(&launched(&fixture, "t3", "a3"));
    fixture.hook(&fixture.call("SessionEnd", json!({"reason": "other"})));
    let told: Vec<(String, String, bool)> = nodes(&fixture)
        .iter()
        .map(|node| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let metrics = &node["metrics"];
            (text(&node["taskId"]), text(&metrics["exitStatus"]), metrics["apiFailure"] == true)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("task t1".into(), "error".into(), true),
            ("task t2".into(), "success".into(), false),
            ("task t3".into(), "interrupted".into(), false),
        ]
    );
    // The second goes on after a message: its node is measured anew.
    fixture.hook(&ended(&fixture, "a2", "worker", "Confidence: low"));
    let all = nodes(&fixture);
    assert_eq!((all.len(), &all[1]["selfReport"]["confidence"]), (3, &json!("low")));
}

#[test]
fn the_clients_own_fork_is_no_sub_agent() {
    let fixture = Fixture::new();
    fixture.hook(&ended(&fixture, "a1", "", "<summary>x</summary>"));
    assert!(nodes(&fixture).is_empty());
    assert!(!fixture.file(".claude/historian/session-state.json").exists());
}

#[test]
fn twenty_sub_agents_at_once_are_all_there() {
    let fixture = Fixture::new();
    let calls: Vec<Value> =
        (0..20).map(|id| fixture.after_agent(&format!("t{id}"), "Done.")).collect();
    let running: Vec<_> = calls.iter().map(|call| fixture.start(call)).collect();
    running.into_iter().for_each(|hook| drop(crate::fixture::answer(hook)));
    fixture.hook(&fixture.call("SessionStart", json!({"source": "resume"})));
    let mut tasks: Vec<String> =
        nodes(&fixture).iter().map(|node| node["taskId"].as_str().unwrap().to_owned()).collect();
    tasks.sort();
    let mut expected: Vec<String> = (0..20).map(|id| format!("task t{id}")).collect();
    expected.sort();
    assert_eq!(tasks, expected);
}

#[test]
fn the_whole_input_is_replaced_for_the_historian_alone() {
    let fixture = Fixture::new();
    let input = |kind: &str, description: &str| json!({"subagent_type": kind, "description": description, "prompt": "mine", "extra": 7});
    for (kind, description, is_replaced) in [
        ("historian", "x", false),
        ("court:historian", "x", true),
        ("general-purpose", "historian review", true),
        ("worker", "historian review", false),
        ("general-purpose", "fix the historian", false),
    ] {
        let answer = fixture.hook(&fixture.before("Agent", input(kind, description)));
        let new = &answer["hookSpecificOutput"]["updatedInput"];
        assert_eq!(new.is_object(), is_replaced, "{kind} {description}: {answer:#}");
        if is_replaced {
            let prompt = new["prompt"].as_str().unwrap();
            assert!(
                prompt.contains("You are the historian") && prompt.contains("mine"),
                "{prompt}"
            );
            assert_eq!((&new["extra"], &new["subagent_type"]), (&json!(7), &json!(kind)));
            assert!(answer["hookSpecificOutput"].get("permissionDecision").is_none());
        }
    }
}

#[test]
fn a_historian_whose_end_is_not_seen_is_heard_by_its_result() {
    let fixture = Fixture::new();
    let answer = fixture.hook(&historian(&fixture, "t1", "VERDICT: concern\nADVICE: look again"));
    assert!(message(&answer).contains("degraded (V2)"), "{answer:#}");
    assert!(message(&answer).contains("the historian reviews once"), "{answer:#}");
    assert!(context(&answer).contains("look again"), "{answer:#}");
    let ledger = fixture.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V2"]["standing"], "degraded");
    // The same result again, and the next tool, are silent: it was heard.
    assert_eq!(context(&fixture.hook(&historian(&fixture, "t1", "VERDICT: pass\nADVICE: x"))), "");
}

#[test]
fn a_historian_whose_request_failed_leaves_no_advice() {
    let fixture = Fixture::new();
    let failure = json!({"agent_id": "agent-t1", "agent_type": "court:historian", "error": "unknown",
        "last_assistant_message": "API Error: 400"});
    let answer = fixture.hook(&fixture.call("StopFailure", failure));
    assert!(message(&answer).contains("there is no review"), "{answer:#}");
    assert_eq!(context(&fixture.hook(&historian(&fixture, "t1", "API Error: 400"))), "");
    assert!(!fixture.file(".claude/historian/pending-advice.md").exists());
}

#[test]
fn advice_of_a_historian_in_the_background_waits_for_the_main_agent() {
    let fixture = Fixture::new();
    let words = "VERDICT: pass\nADVICE: all is well, go on\nRESOLVED: risk_9";
    fixture.hook(&ended(&fixture, "h1", "court:historian", words));
    let mut tool = fixture.call(
        "PostToolUse",
        json!({"tool_name": "Read", "tool_use_id": "r1", "tool_input": {}, "tool_response": {}}),
    );
    tool["agent_id"] = json!("a5");
    assert_eq!(context(&fixture.hook(&tool)), "", "not for a sub-agent");
    tool.as_object_mut().unwrap().remove("agent_id");
    assert!(context(&fixture.hook(&tool)).contains("all is well, go on"));
    assert_eq!(context(&fixture.hook(&tool)), "", "once");
}
