//! Objective nodes: what sub-agents really did, in the foreground, in the background, and where the
//! request to the model failed.

use serde_json::{Value, json};
use tests::messages_api::{Agent, MessagesApi, Reply, Request, Script};

use crate::fixture::{Court, agent, bash, ended_well, shell, then_stop};

fn is_sub(request: &Request, prompt: &str) -> bool {
    matches!(request.agent, Agent::Sub(_)) && request.everything().contains(prompt)
}

fn node(court: &Court, task: &str) -> Value {
    let tree = court.file("delegation-tree.json");
    let nodes = tree.as_array().cloned().unwrap_or_default();
    let found: Vec<&Value> = nodes.iter().filter(|node| node["taskId"] == task).collect();
    assert_eq!(found.len(), 1, "{task}: {tree:#}");
    found[0].clone()
}

#[tokio::test]
async fn sub_agents_side_by_side_are_measured_whatever_they_say() {
    let Some(court) = Court::new() else { return };
    let file = court.project().join("made.txt");
    let script = Script::new()
        .main(|_| {
            Reply::text("Three of them.")
                .and_tool("Agent", agent("general-purpose", "make the file", "MAKE it"))
                .and_tool("Agent", agent("general-purpose", "claim a lot", "CLAIM it"))
                .and_tool("Agent", agent("general-purpose", "fail at once", "FAIL it"))
        })
        .when(
            move |request| is_sub(request, "MAKE it") && request.turn() == 0,
            move |_| Reply::tool("Write", json!({"file_path": file, "content": "x\n"})),
        )
        .when(
            |request| is_sub(request, "MAKE it"),
            |_| Reply::text("Created it.\nConfidence: high"),
        )
        .when(
            |request| is_sub(request, "CLAIM it"),
            |_| Reply::text("I implemented 40 files with 90 tool calls.\nConfidence: low"),
        );
    // Nothing answers the third: its request to the model fails.
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("delegate").await.unwrap());

    let made = node(&court, "make the file");
    let metrics = &made["metrics"];
    assert_eq!(metrics["toolsUsed"], json!(["Write"]), "{made:#}");
    assert_eq!(
        (&metrics["toolCallCount"], &metrics["hasWriteOperation"]),
        (&json!(1), &json!(true))
    );
    assert_eq!((&metrics["exitStatus"], &made["role"]), (&json!("success"), &json!("worker")));
    assert_eq!(
        (&made["selfReport"]["confidence"], &made["parentId"]),
        (&json!("high"), &Value::Null)
    );
    let log = made["rawLogPath"].as_str().unwrap();
    assert!(log.ends_with(&format!("agent-{}.jsonl", made["agentId"].as_str().unwrap())), "{log}");

    let claimed = node(&court, "claim a lot");
    assert_eq!(claimed["metrics"]["toolCallCount"], 0, "{claimed:#}");
    assert_eq!(claimed["metrics"]["hasWriteOperation"], false);
    assert_eq!(claimed["selfReport"]["confidence"], "low");

    let failed = node(&court, "fail at once");
    assert_eq!(failed["metrics"]["exitStatus"], "error", "{failed:#}");
    assert_eq!(failed["metrics"]["apiFailure"], true);
    let returned = court.heard("PostToolUse");
    let said =
        returned.iter().find(|heard| heard.call["tool_input"]["description"] == "fail at once");
    assert_eq!(
        said.unwrap().call["tool_response"]["status"],
        "completed",
        "the client calls it so"
    );
    assert_eq!(court.standing("V12"), "works");
}

#[tokio::test]
async fn a_sub_agent_in_the_background_is_measured_at_its_end() {
    let Some(court) = Court::new() else { return };
    let mut input = agent("general-purpose", "work aside", "ASIDE");
    input["run_in_background"] = json!(true);
    // The main agent waits until the node is there.
    let wait =
        "until grep -qs 'work aside' .claude/historian/delegation-tree.json; do sleep 0.1; done";
    let script = Script::new()
        .main(move |_| Reply::tool("Agent", input.clone()))
        .main(move |_| Reply::tool("Bash", shell(wait)))
        .when(|request| is_sub(request, "ASIDE") && request.turn() == 0, |_| bash("echo aside"))
        .when(|request| is_sub(request, "ASIDE"), |_| Reply::text("Anomaly: it was dark"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("delegate").await.unwrap());
    let node = node(&court, "work aside");
    assert_eq!(node["metrics"]["toolsUsed"], json!(["Bash"]), "{node:#}");
    assert_eq!(node["metrics"]["exitStatus"], "success");
    assert_eq!(node["selfReport"]["anomalies"], json!(["it was dark"]));
    assert_eq!(court.file("session-state.json")["launches"]["running"], json!({}));
}
