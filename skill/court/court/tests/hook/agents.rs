//! Sub-agents whose ends come early, late, badly or not at all, and the historian among them.

use serde_json::{Value, json};

use crate::stage::{Stage, context, message};

fn nodes(stage: &Stage) -> Vec<Value> {
    match stage.file(".claude/historian/delegation-tree.json").exists() {
        true => stage.read(".claude/historian/delegation-tree.json").as_array().unwrap().clone(),
        false => Vec::new(),
    }
}

fn launched(stage: &Stage, task: &str, agent: &str) -> Value {
    let mut call = stage.after_agent(task, "");
    call["tool_response"] = json!({"status": "async_launched", "agentId": agent});
    call
}

fn ended(stage: &Stage, agent: &str, kind: &str, words: &str) -> Value {
    stage.call(
        "SubagentStop",
        json!({"agent_id": agent, "agent_type": kind, "stop_hook_active": false,
            "last_assistant_message": words}),
    )
}

fn historian(stage: &Stage, id: &str, words: &str) -> Value {
    let mut call = stage.after_agent(id, words);
    call["tool_input"]["subagent_type"] = json!("court:historian");
    call["tool_response"]["agentType"] = json!("court:historian");
    call
}

#[test]
fn background_work_is_measured_however_it_ends() {
    let stage = Stage::new();
    stage.hook(&launched(&stage, "t1", "a1"));
    assert!(nodes(&stage).is_empty());
    let failure = json!({"agent_id": "a1", "agent_type": "worker", "error": "rate_limit",
        "last_assistant_message": "API Error: 429"});
    stage.hook(&stage.call("StopFailure", failure));
    // Its end is heard of before its call.
    stage.hook(&ended(&stage, "a2", "worker", "Done.\nConfidence: high"));
    assert_eq!(nodes(&stage).len(), 1);
    stage.hook(&launched(&stage, "t2", "a2"));
    stage.hook(&launched(&stage, "t3", "a3"));
    stage.hook(&stage.call("SessionEnd", json!({"reason": "other"})));
    let told: Vec<(String, String, bool)> = nodes(&stage)
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
    stage.hook(&ended(&stage, "a2", "worker", "Confidence: low"));
    let all = nodes(&stage);
    assert_eq!((all.len(), &all[1]["selfReport"]["confidence"]), (3, &json!("low")));
}

#[test]
fn the_clients_own_fork_is_no_sub_agent() {
    let stage = Stage::new();
    stage.hook(&ended(&stage, "a1", "", "<summary>x</summary>"));
    assert!(nodes(&stage).is_empty());
    assert!(!stage.file(".claude/historian/session-state.json").exists());
}

#[test]
fn twenty_sub_agents_at_once_are_all_there() {
    let stage = Stage::new();
    let calls: Vec<Value> =
        (0..20).map(|id| stage.after_agent(&format!("t{id}"), "Done.")).collect();
    let running: Vec<_> = calls.iter().map(|call| stage.start(call)).collect();
    running.into_iter().for_each(|hook| drop(crate::stage::answer(hook)));
    stage.hook(&stage.call("SessionStart", json!({"source": "resume"})));
    let mut tasks: Vec<String> =
        nodes(&stage).iter().map(|node| node["taskId"].as_str().unwrap().to_owned()).collect();
    tasks.sort();
    let mut expected: Vec<String> = (0..20).map(|id| format!("task t{id}")).collect();
    expected.sort();
    assert_eq!(tasks, expected);
}

#[test]
fn the_whole_input_is_replaced_for_the_historian_alone() {
    let stage = Stage::new();
    let input = |kind: &str, description: &str| json!({"subagent_type": kind, "description": description, "prompt": "mine", "extra": 7});
    for (kind, description, is_replaced) in [
        ("historian", "x", false),
        ("court:historian", "x", true),
        ("general-purpose", "historian review", true),
        ("worker", "historian review", false),
        ("general-purpose", "fix the historian", false),
    ] {
        let answer = stage.hook(&stage.before("Agent", input(kind, description)));
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
    let stage = Stage::new();
    let answer = stage.hook(&historian(&stage, "t1", "VERDICT: concern\nADVICE: look again"));
    assert!(message(&answer).contains("degraded (V2)"), "{answer:#}");
    assert!(message(&answer).contains("the historian reviews once"), "{answer:#}");
    assert!(context(&answer).contains("look again"), "{answer:#}");
    let ledger = stage.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V2"]["standing"], "degraded");
    // The same result again, and the next tool, are silent: it was heard.
    assert_eq!(context(&stage.hook(&historian(&stage, "t1", "VERDICT: pass\nADVICE: x"))), "");
}

#[test]
fn a_historian_whose_request_failed_leaves_no_advice() {
    let stage = Stage::new();
    let failure = json!({"agent_id": "agent-t1", "agent_type": "court:historian", "error": "unknown",
        "last_assistant_message": "API Error: 400"});
    let answer = stage.hook(&stage.call("StopFailure", failure));
    assert!(message(&answer).contains("there is no review"), "{answer:#}");
    assert_eq!(context(&stage.hook(&historian(&stage, "t1", "API Error: 400"))), "");
    assert!(!stage.file(".claude/historian/pending-advice.md").exists());
}

#[test]
fn advice_of_a_historian_in_the_background_waits_for_the_main_agent() {
    let stage = Stage::new();
    let words = "VERDICT: pass\nADVICE: all is well, go on\nRESOLVED: risk_9";
    stage.hook(&ended(&stage, "h1", "court:historian", words));
    let mut tool = stage.call(
        "PostToolUse",
        json!({"tool_name": "Read", "tool_use_id": "r1", "tool_input": {}, "tool_response": {}}),
    );
    tool["agent_id"] = json!("a5");
    assert_eq!(context(&stage.hook(&tool)), "", "not for a sub-agent");
    tool.as_object_mut().unwrap().remove("agent_id");
    assert!(context(&stage.hook(&tool)).contains("all is well, go on"));
    assert_eq!(context(&stage.hook(&tool)), "", "once");
}
