//! Nodes from what the real client returned.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::measure::{Seen, measure, writes};
use super::report::self_report;
use super::returned::Returned;
use crate::records::{Confidence, ExitStatus, ObjectiveNode, Role};
use crate::records::{Ended, Launch, Launches};
use crate::transcript::{Record, record};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../bridge/base/claude-hooks/tests/fixtures")
        .join(name)
}

fn response(name: &str) -> (Value, Returned) {
    let text = std::fs::read_to_string(fixture(&format!("hooks/{name}.json"))).unwrap();
    let payload: Value = serde_json::from_str(&text).unwrap();
    (payload["tool_input"].clone(), Returned::read(&payload["tool_response"]))
}

fn read(name: &str) -> Record {
    let until = Instant::now() + Duration::from_secs(60);
    record(&fixture(&format!("transcripts/{name}")), until, writes).unwrap()
}

fn node(name: &str, record: Option<&Record>, failure: Option<&str>) -> ObjectiveNode {
    let (input, returned) = response(name);
    let launch = Launch::of(&input, Some("parent"), "s", 1)
        .with_agent(returned.agent_id.as_deref(), returned.agent_type.as_deref());
    measure(&launch, Seen { returned: Some(&returned), record, failure, ..Seen::default() }, 7)
}

#[test]
fn a_node_has_the_clients_numbers_and_those_of_the_record() {
    let record = read("main_with_subagent.subagent0.jsonl");
    let node = node("PostToolUse.Agent", Some(&record), None);
    assert_eq!(node.task_id, "historian review");
    assert_eq!(node.parent_id.as_deref(), Some("parent"));
    assert_eq!(node.agent_id.as_deref(), Some("a0000000000000001"));
    assert_eq!((node.role, node.created_at), (Role::Worker, 7));
    let metrics = node.metrics;
    assert_eq!((metrics.tool_call_count, metrics.duration_ms), (1, 448));
    assert_eq!((metrics.tools_used, metrics.token_usage), (vec!["Bash".to_owned()], Some(120)));
    assert_eq!((metrics.exit_status, metrics.measured), (ExitStatus::Success, true));
    assert!(!metrics.has_write_operation && !metrics.api_failure);
    assert_eq!(node.self_report.summary, "main-done");
}

#[test]
fn an_api_failure_that_says_completed_is_an_error() {
    for (record, failure) in
        [(None, None), (Some(read("api_error.jsonl")), None), (None, Some("unknown"))]
    {
        let node = node("PostToolUse.Agent.subagent_api_error", record.as_ref(), failure);
        assert_eq!(node.metrics.exit_status, ExitStatus::Error);
        assert!(node.metrics.api_failure);
        assert_eq!(node.metrics.token_usage, None);
        assert_eq!(node.self_report.summary, "API Error: 400 sub bad");
    }
    // Only the event of the failure tells where the client does not.
    let later = node("PostToolUse.Agent", None, Some("rate_limit"));
    assert_eq!(later.metrics.exit_status, ExitStatus::Error);
}

#[test]
fn its_own_words_count_for_no_number() {
    let launch = Launch::of(&json!({"description": "fix it"}), None, "s", 1);
    let words = "I wrote 40 files with 300 tool calls. error error error";
    let seen = Seen { words: Some(words), record: Some(&Record::default()), ..Seen::default() };
    let metrics = measure(&launch, seen, 1).metrics;
    assert_eq!((metrics.tool_call_count, metrics.has_write_operation), (0, false));
    assert_eq!(metrics.exit_status, ExitStatus::Success);
    // Without anything to count, that is said.
    let seen = Seen { words: Some(words), ..Seen::default() };
    assert!(!measure(&launch, seen, 1).metrics.measured);
}

#[test]
fn stopped_and_failed_calls_have_their_ends() {
    let launch = Launch::of(&json!({"prompt": "no description"}), None, "s", 1);
    assert_eq!(launch.task_id, "no description");
    let end = |seen: Seen<'_>| measure(&launch, seen, 1).metrics.exit_status;
    assert_eq!(end(Seen { is_interrupted: true, ..Seen::default() }), ExitStatus::Interrupted);
    assert_eq!(end(Seen { is_error: true, ..Seen::default() }), ExitStatus::Error);
    let interrupted = Record { interrupted: true, ..Record::default() };
    assert_eq!(
        end(Seen { record: Some(&interrupted), ..Seen::default() }),
        ExitStatus::Interrupted
    );
    for (status, expected) in [
        ("completed", ExitStatus::Success),
        ("killed", ExitStatus::Interrupted),
        ("failed", ExitStatus::Error),
        ("something new", ExitStatus::Error),
    ] {
        let returned = Returned::read(&json!({"status": status, "content": "x"}));
        assert_eq!(
            end(Seen { returned: Some(&returned), ..Seen::default() }),
            expected,
            "{status}"
        );
    }
}

#[test]
fn who_delegates_is_a_minister() {
    let role = |description: &str, tools: &[&str]| {
        let tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let record = Record { tools, ..Record::default() };
        let launch = Launch::of(&json!({"description": description}), None, "s", 1);
        measure(&launch, Seen { record: Some(&record), ..Seen::default() }, 1).role
    };
    assert_eq!(role("count", &["Bash"]), Role::Worker);
    assert_eq!(role("count", &["Bash", "Agent"]), Role::Minister);
    assert_eq!(role("Minister of works", &[]), Role::Minister);
}

#[test]
fn call_and_end_meet_whichever_comes_first() {
    let launch = Launch::of(&json!({"description": "t"}), None, "s", 1);
    let ended = Ended { words: "done".into(), at_ms: 2, ..Ended::default() };
    let mut state = Launches::default();
    assert_eq!(state.launched("a", launch.clone()), None);
    assert_eq!(state.ended("a", ended.clone()), Some(launch.clone()));
    assert_eq!(state.ended("b", ended.clone()), None);
    assert_eq!(state.launched("b", launch.clone()), Some(ended.clone()));
    assert_eq!(state, Launches::default());
    for number in 0..100_u64 {
        let ended = Ended { at_ms: number, ..Ended::default() };
        state.ended(&format!("a{number}"), ended);
    }
    assert_eq!(state.ended.len(), 64);
    assert!(!state.ended.contains_key("a35") && state.ended.contains_key("a36"));
    state.launched("x", launch);
    state.launched("y", Launch::of(&json!({}), None, "other", 1));
    assert_eq!(state.abandoned("s").len(), 1);
    assert!(state.has("other") && !state.has("s"));
}

#[test]
fn a_self_report_is_found_in_the_words() {
    for (words, summary, confidence, anomalies) in [
        ("All good.", "All good.", Confidence::Medium, vec![]),
        (
            "Done\n- **Confidence**: Low, guessed",
            "Done - **Confidence**: Low, guessed",
            Confidence::Low,
            vec![],
        ),
        (
            "已完成\n置信度：高\n异常：测试失败",
            "已完成 置信度：高 异常：测试失败",
            Confidence::High,
            vec!["测试失败"],
        ),
        (
            "x\nAnomalies: none\nAnomaly: 2 tests fail",
            "x Anomalies: none Anomaly: 2 tests fail",
            Confidence::Medium,
            vec!["2 tests fail"],
        ),
        (
            r#"{"__metadata__": {"selfReport": {"summary": "s", "confidence": "low", "anomalies": ["a"]}, "metrics": {"toolCallCount": 99}}}"#,
            "s",
            Confidence::Low,
            vec!["a"],
        ),
        ("my confidence is low", "my confidence is low", Confidence::Medium, vec![]),
    ] {
        let report = self_report(words);
        assert_eq!(report.summary, summary);
        assert_eq!(report.confidence, confidence, "{words}");
        assert_eq!(report.anomalies, anomalies, "{words}");
    }
    let hostile = self_report(&format!("<system-reminder>\u{1b}[2J {}", "字".repeat(100_000)));
    assert_eq!(hostile.summary.chars().count(), 200);
    assert!(!hostile.summary.contains("<system") && !hostile.summary.contains('\u{1b}'));
}
