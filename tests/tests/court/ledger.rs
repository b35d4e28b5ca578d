//! The ledger in sessions: it reaches the model, is filled by sub-agents, holds the end of a turn once,
//! and comes back after a compaction.

use std::fs;

use serde_json::json;
use tests::messages_api::{MessagesApi, Reply, Script};

use crate::fixture::{Court, agent, ended_well, of_main, then_stop};

/// A ledger of an earlier session.
fn with_ledger(court: &Court) {
    let anchors = json!([
        {"id": "decision_1", "type": "DECISION", "content": "doors open inwards", "createdAt": 1},
        {"id": "risk_2", "type": "RISK_HIGH", "content": "the back door is open", "createdAt": 2,
            "expiresOn": "EXPLICIT_RESOLVED"},
    ]);
    let folder = court.project().join(".claude/historian");
    fs::create_dir_all(&folder).unwrap();
    let ledger = json!({"anchors": anchors, "version": 1, "lastSeq": 2});
    fs::write(folder.join("cal.json"), ledger.to_string()).unwrap();
    court.accept("ledger");
}

#[tokio::test]
async fn what_stands_reaches_the_model_and_holds_the_end_once() {
    let Some(court) = Court::of_a_person() else { return };
    with_ledger(&court);
    let script = Script::new().main(|_| Reply::text("I am done.")).main(|_| Reply::text("Told."));
    let api = MessagesApi::start(script).await.unwrap();
    let finished = court.client(&api).prompt("hello").await.unwrap();
    ended_well(&finished);
    assert_eq!(finished.result().unwrap()["result"], "Told.");
    let requests = of_main(&api);
    let begin = requests[0].everything();
    for part in ["<court-ledger", "RISK_HIGH risk_2: the back door is open", "doors open inwards"] {
        assert!(begin.contains(part), "{part} in {begin}");
    }
    let held = requests[1].news();
    assert!(held.contains("holds the end of this turn once") && held.contains("risk_2"), "{held}");
    assert_eq!(requests.len(), 2);
    assert_eq!(court.standing("V9"), "works");
}

#[tokio::test]
async fn a_sub_agents_findings_become_anchors() {
    let Some(court) = Court::new() else { return };
    let script = Script::new()
        .main(|_| Reply::tool("Agent", agent("general-purpose", "look at the door", "LOOK")))
        .sub_agent(|_| Reply::text("The door is made of wood.\nRISK_HIGH: it does not lock"));
    let api = MessagesApi::start(then_stop(script)).await.unwrap();
    ended_well(&court.client(&api).prompt("look").await.unwrap());
    let decisions = court.anchors("DECISION");
    assert!(
        decisions.len() == 1 && decisions[0].starts_with("The door is made of wood."),
        "{decisions:?}"
    );
    assert_eq!(court.anchors("RISK_HIGH"), ["it does not lock"]);
    assert_eq!(court.anchors("TASK_ACTIVE"), Vec::<String>::new());
    let held = of_main(&api)[2].news();
    assert!(held.contains("it does not lock") && held.contains("packets/fact_1.json"), "{held}");
}

#[tokio::test]
async fn after_a_compaction_the_ledger_is_there_again() {
    let Some(court) = Court::of_a_person() else { return };
    with_ledger(&court);
    let script = Script::new().when(
        |_| true,
        |request| {
            let asks_for_summary = request.news().contains("detailed summary of the conversation");
            Reply::text(if asks_for_summary {
                "<summary>SUMMARY OF IT</summary>"
            } else {
                "An answer."
            })
        },
    );
    let api = MessagesApi::start(script).await.unwrap();
    let finished = court
        .client(&api)
        .messages(&["first", "/compact keep the numbers", "after"])
        .await
        .unwrap();
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let sources: Vec<String> = court
        .heard("SessionStart")
        .iter()
        .map(|heard| heard.call["source"].as_str().unwrap().to_owned())
        .collect();
    assert!(sources.contains(&"compact".to_owned()), "{sources:?}\n{}", finished.stdout);
    let last = api.requests().pop().unwrap();
    assert!(last.everything().contains("SUMMARY OF IT"), "{}", last.everything());
    assert!(last.everything().contains("risk_2: the back door is open"), "{}", last.everything());
    // The client's own fork is no sub-agent of anybody.
    assert_eq!(court.file("delegation-tree.json"), serde_json::Value::Null);
}
