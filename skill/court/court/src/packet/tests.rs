//! Packets made from what was read.

use jiff::Timestamp;

use super::changes::Changes;
use super::{Sources, build};
use crate::records::{AnchorKind, CallStatus, Ledger, ObjectiveNode, Packet};
use crate::transcript::{Coverage, Done, Recent, Status, Unread};

fn recent() -> Recent {
    let call = |name: &str, status| Done {
        id: "1".into(),
        name: name.into(),
        path: Some("a.txt".into()),
        what: None,
        writes: true,
        status,
    };
    Recent {
        calls: vec![call("Write", Status::Success), call("Edit", Status::Denied)],
        statement: Some("from the record".into()),
        prompted: Timestamp::from_millisecond(1_000).ok(),
        this_turn: 2,
        entries: 5,
        coverage: Coverage::Whole,
    }
}

fn packet(
    recent: &Result<Recent, Unread>,
    statement: Option<&str>,
    nodes: &[ObjectiveNode],
) -> Packet {
    let mut ledger = Ledger::default();
    for number in 0..7 {
        ledger.add(AnchorKind::Decision, None, format!("decision {number}"), None, 1);
    }
    ledger.add(AnchorKind::RiskHigh, None, "the door is open".into(), None, 1);
    ledger.add(AnchorKind::TaskActive, None, "close it".into(), None, 1);
    build(&Sources {
        session_id: "s",
        prompt_id: Some("p"),
        turn: 2,
        recent,
        statement,
        changes: &Changes {
            stat: " a.txt | 2 +-".into(),
            head: Some("abc".into()),
            limits: vec![],
            silent: None,
        },
        ledger: &ledger,
        nodes,
        session_began_ms: 500,
        background_tasks: 1,
        now_ms: 3_500,
    })
}

#[test]
fn a_packet_has_the_facts_of_the_turn() {
    let made = packet(&Ok(recent()), Some("The work is done."), &[]);
    let calls: Vec<(&str, CallStatus)> =
        made.facts.tool_calls.iter().map(|call| (call.name.as_str(), call.status)).collect();
    assert_eq!(calls, [("Write", CallStatus::Success), ("Edit", CallStatus::Denied)]);
    assert_eq!(made.facts.final_statement, "The work is done.");
    assert_eq!((made.meta.duration_ms, made.meta.turn_id), (2_500, 2));
    assert_eq!(
        made.context_snapshot.active_concerns,
        ["HIGH: the door is open", "ACTIVE: close it"]
    );
    assert_eq!(
        made.context_snapshot.recent_experiences,
        ["decision 2", "decision 3", "decision 4", "decision 5", "decision 6"]
    );
    assert!(made.meta.limits.is_empty());
    let back: Packet = serde_json::from_str(&serde_json::to_string(&made).unwrap()).unwrap();
    assert_eq!(back, made);
}

#[test]
fn the_final_statement_is_the_end_of_it_without_secrets() {
    assert_eq!(packet(&Ok(recent()), None, &[]).facts.final_statement, "from the record");
    assert_eq!(packet(&Ok(recent()), Some("  "), &[]).facts.final_statement, "from the record");
    let key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let long = format!("{} {key} {}", "begin ".repeat(900), "e".repeat(150));
    let said = packet(&Ok(recent()), Some(&long), &[]).facts.final_statement;
    assert_eq!(said.chars().count(), 200);
    assert!(said.starts_with('…') && said.ends_with("eee") && !said.contains("ghp_"), "{said}");
    assert!(!said.contains("B4a"), "{said}");
}

#[test]
fn what_is_missing_is_named() {
    let cut = Recent { coverage: Coverage::Budget, ..recent() };
    assert_eq!(
        packet(&Ok(cut), None, &[]).meta.limits,
        ["only the end of the transcript was read"]
    );
    let none = packet(&Err(Unread::NotAFile), Some("done"), &[]);
    assert_eq!(none.meta.limits, ["no tool calls: the transcript is no file"]);
    assert_eq!(none.facts.final_statement, "done");
    assert!(none.facts.tool_calls.is_empty());
}
