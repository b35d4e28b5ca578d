//! Capabilities that are seen to be missing: what is said then, and what stands in.

use serde_json::json;

use crate::approver::at_terminal;
use crate::stage::{Stage, context, message};

#[test]
fn an_injected_ledger_that_is_not_in_the_record_is_told_of() {
    let stage = Stage::new();
    let anchors = json!([{"id": "decision_1", "type": "DECISION", "content": "doors open inwards",
        "createdAt": 1}]);
    let ledger = json!({"anchors": anchors, "version": 1, "lastSeq": 1});
    stage.write(".claude/historian/cal.json", &ledger.to_string());
    assert_eq!(at_terminal(&stage, &["accept", "ledger"], &[]).code, Some(0));
    let begin = stage.call("SessionStart", json!({"source": "startup"}));
    assert!(context(&stage.hook(&begin)).contains("Mode: full"));
    // A record without an answer of the model is not whole yet: it tells nothing.
    stage.hook(&stage.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p0"})));
    let ledger = stage.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V9"], json!(null), "{ledger:#}");
    // The model answered, and there is no trace of the ledger.
    let prompt = std::fs::read_to_string(stage.file("transcript.jsonl")).unwrap();
    let answer = json!({"type": "assistant", "sessionId": "s", "uuid": "u2", "message":
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]}});
    stage.write("transcript.jsonl", &format!("{prompt}{answer}\n"));
    stage.hook(&stage.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p1"})));
    let ledger = stage.read(".claude/historian/cal.json");
    assert_eq!(ledger["metadata"]["capabilities"]["V9"]["standing"], "degraded", "{ledger:#}");
    assert_eq!(ledger["metadata"]["mode"], "degraded");
    let told = context(&stage.hook(&begin));
    assert!(told.contains("Mode: degraded: V9") && told.contains("file only"), "{told}");
}

#[test]
fn a_record_in_an_unknown_form_is_told_of_and_recovers() {
    let stage = Stage::new();
    let known = std::fs::read_to_string(stage.file("transcript.jsonl")).unwrap();
    stage.write("transcript.jsonl", "{\"messages\": []}\n{\"kind\": \"new\"}\n");
    let stop =
        |prompt: &str| stage.call("Stop", json!({"stop_hook_active": false, "prompt_id": prompt}));
    let answer = stage.hook(&stop("p1"));
    assert!(message(&answer).contains("degraded (V11)"), "{answer:#}");
    assert!(message(&answer).contains("no line that is understood"), "{answer:#}");
    let standing = || {
        stage.read(".claude/historian/cal.json")["metadata"]["capabilities"]["V11"]["standing"]
            .clone()
    };
    assert_eq!(standing(), "degraded");
    stage.write("transcript.jsonl", &known);
    assert_eq!(message(&stage.hook(&stop("p2"))), "");
    assert_eq!(standing(), "works");
}

#[test]
fn a_historian_is_told_what_is_degraded() {
    let stage = Stage::new();
    stage.write("transcript.jsonl", "no record\n");
    stage.hook(&stage.call("Stop", json!({"stop_hook_active": false, "prompt_id": "p1"})));
    let call = json!({"subagent_type": "court:historian", "description": "d", "prompt": "p"});
    let answer = stage.hook(&stage.before("Agent", call));
    let prompt = answer["hookSpecificOutput"]["updatedInput"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("Mode: degraded: V11"), "{prompt}");
    assert!(prompt.contains("the transcript has no line that is understood"), "{prompt}");
}
