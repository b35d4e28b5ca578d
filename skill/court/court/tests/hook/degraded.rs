//! Missing capabilities: the message about them, and the fallback.

use serde_json::json;

use crate::approver::at_terminal;
use crate::fixture::{Fixture, context, message};

#[test]
fn an_injected_ledger_that_is_not_in_the_record_is_told_of() {
    let fixture = Fixture::new();
    let anchors = json!([{"id": "decision_1", "type": "DECISION", "content": "doors open inwards",
        "createdAt": 1}]);
    let ledger = json!({"anchors": anchors, "version": 1, "lastSeq": 1});
    fixture.write(".claude/historian/cal.json", &ledger.to_string());
    assert_eq!(at_terminal(&fixture, &["accept", "ledger"], &[]).code, Some(0));
    let begin = fixture.call("SessionStart", json!({"source": "startup"}));
    assert!(context(&fixture.hook(&begin)).contains("Mode: full"));
    // A record without an answer of the model is not whole yet: it tells nothing.
    fixture.hook(&fixture.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p0"})));
    let ledger = fixture.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V9"], json!(null), "{ledger:#}");
    // The model answered, and there is no trace of the ledger.
    let prompt = std::fs::read_to_string(fixture.file("transcript.jsonl")).unwrap();
    let answer = json!({"type": "assistant", "sessionId": "s", "uuid": "u2", "message":
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}});
    fixture.write("transcript.jsonl", &format!("{prompt}{answer}\n"));
    fixture.hook(&fixture.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p1"})));
    let ledger = fixture.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V9"]["standing"], "degraded", "{ledger:#}");
    assert_eq!(ledger["metadata"]["mode"], "degraded");
    let told = context(&fixture.hook(&begin));
    assert!(told.contains("Mode: degraded: V9") && told.contains("file only"), "{told}");
}

#[test]
fn a_record_in_an_unknown_form_is_told_of_and_recovers() {
    let fixture = Fixture::new();
    let known = std::fs::read_to_string(fixture.file("transcript.jsonl")).unwrap();
    fixture.write("transcript.jsonl", "{\"messages\": []}\n{\"kind\": \"new\"}\n");
    let stop = |prompt: &str| {
        fixture.call("Stop", json!({"stop_hook_active": false, "prompt_id": prompt}))
    };
    let answer = fixture.hook(&stop("p1"));
    assert!(message(&answer).contains("degraded (V11)"), "{answer:#}");
    assert!(message(&answer).contains("no line that is understood"), "{answer:#}");
    let standing = || {
        fixture.read(".claude/historian/cal.json")["metadata"]["capabilities"]["V11"]["standing"]
            .clone()
    };
    assert_eq!(standing(), "degraded");
    fixture.write("transcript.jsonl", &known);
    assert_eq!(message(&fixture.hook(&stop("p2"))), "");
    assert_eq!(standing(), "works");
}

#[test]
fn a_historian_is_told_what_is_degraded() {
    let fixture = Fixture::new();
    fixture.write("transcript.jsonl", "no record\n");
    fixture.hook(&fixture.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p1"})));
    let call = json!({"subagent_type": "court:historian", "description": "d", "prompt": "p"});
    let answer = fixture.hook(&fixture.before("Agent", call));
    let prompt = answer["hookSpecificOutput"]["updatedInput"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("Mode: degraded: V11"), "{prompt}");
    assert!(prompt.contains("the transcript has no line that is understood"), "{prompt}");
}
