//! Twenty concurrent hooks, in several rounds: no anchor and no node is lost.

use std::collections::BTreeSet;
use std::process::Child;

use serde_json::{Value, json};

use crate::fixture::{Fixture, answer};

const AT_ONCE: usize = 20;
const ROUNDS: usize = 50;

#[test]
fn twenty_hooks_at_once_lose_nothing_in_fifty_rounds() {
    let fixture = Fixture::new();
    let call_agent = |id: &str| {
        let input =
            json!({"description": format!("task {id}"), "prompt": "p", "subagent_type": "w"});
        let mut call = fixture.before("Agent", input);
        call["tool_use_id"] = json!(id);
        call
    };
    for round in 0..ROUNDS {
        // Half of them open a task, half bring the result of one opened a round before.
        let mut children: Vec<Child> = Vec::new();
        for number in 0..AT_ONCE / 2 {
            children.push(fixture.start(&call_agent(&format!("{round}-{number}"))));
            if round > 0 {
                let id = format!("{}-{number}", round - 1);
                children.push(fixture.start(&fixture.after_agent(&id, &format!("result {id}"))));
            } else {
                children.push(fixture.start(&fixture.bash("git push --force origin main")));
            }
        }
        for child in children {
            answer(child);
        }
    }
    let ledger = fixture.read(".claude/historian/cal.json");
    let of_kind = |kind: &str| -> BTreeSet<String> {
        let anchors = ledger["anchors"].as_array().unwrap().iter();
        let wanted = anchors.filter(|anchor| anchor["type"] == kind);
        wanted.map(|anchor| anchor["content"].as_str().unwrap().to_owned()).collect()
    };
    let decided: BTreeSet<String> = (0..ROUNDS - 1)
        .flat_map(|round| (0..AT_ONCE / 2).map(move |number| format!("result {round}-{number}")))
        .collect();
    assert_eq!(of_kind("DECISION"), decided);
    assert_eq!(of_kind("TASK_ACTIVE").len(), AT_ONCE / 2);
    let ids: BTreeSet<&str> = ledger["anchors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|anchor| anchor["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), ledger["anchors"].as_array().unwrap().len());
    let requests =
        fixture.read(fixture.grant("reviews.json"))["requests"].as_array().unwrap().len();
    assert_eq!(requests, 1, "the same call asked at once is one request");
    let left = std::fs::read_dir(fixture.grant("spool")).unwrap().count();
    assert_eq!(left, 0, "all changes are folded in");
    assert!(ledger["metadata"]["kept_aside"].as_array().is_none_or(Vec::is_empty));
    assert_ne!(ledger, Value::Null);
}
