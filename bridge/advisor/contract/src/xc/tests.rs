//! The types and the schemas of `xc` agree.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::*;
use crate::id::SessionId;
use crate::schema::{Schema, XC_EVENT, XC_RESULT, XC_SESSION};

const AT: &str = "2026-11-22T20:15:00.123Z";

fn session() -> SessionId {
    "0199a213-81c0-7800-8aa1-bbab2a035a53".parse().unwrap()
}

fn end() -> End {
    End {
        reason: EndReason::TurnLimit,
        exit: 5,
        answer: "Not done.".into(),
        usage: TokenUsage { input: 10, cached: 4, output: 2 },
        cost_usd: Some(0.25),
        changed: vec!["src/a.rs".into()],
        commands: vec![
            CommandRun { command: "cargo test".into(), exit: Some(101) },
            CommandRun { command: "sleep 900".into(), exit: None },
        ],
        denied: vec![DeniedCall {
            id: "c1".into(),
            tool: "shell".into(),
            level: CallLevel::L3,
            rule: Some("files.delete-tree".into()),
        }],
    }
}

/// One event of each kind, with every field that it can have.
fn events() -> Vec<What> {
    let (id, text) = (|| "c1".to_owned(), || "words".to_owned());
    vec![
        What::Start {
            version: "0.1.0".into(),
            model: "deepseek:deepseek-chat".into(),
            cwd: "/home/ann/p".into(),
            mode: PermitMode::Ask,
            sandbox: Sandboxed::LandlockAndMounts,
            tools: vec!["readFile".into()],
        },
        What::Prompt { text: text() },
        What::Context { items: 3, limits: vec![text()] },
        What::Text { delta: text() },
        What::Reasoning { delta: text() },
        What::Call { id: id(), tool: "shell".into(), input: json!({ "command": "ls" }) },
        What::Permission {
            id: id(),
            verdict: Verdict::Deny,
            level: CallLevel::L2,
            rule: Some("files.erase".into()),
            by: DecidedBy::Headless,
        },
        What::Output { id: id(), stream: Stream::Stderr, text: text() },
        What::Result { id: id(), status: CallStatus::Timeout, chars: 9, truncated: true },
        What::Usage { input: 3, cached: 1, output: 2, cost_usd: None },
        What::Retry { class: FailureClass::Overloaded, after_ms: 1500, attempt: 2 },
        What::Compacted { before: 9000, after: 700 },
        What::Model { from: "a:b".into(), to: "c:d".into(), why: text() },
        What::Plan { state: PlanState::Proposed },
        What::Note { text: text() },
        What::Failure { class: FailureClass::Auth, message: text() },
        What::Evidence {
            changed: vec!["src/a.rs".into()],
            commands: end().commands,
            tests: TestsRun::NotRun,
        },
        What::End(end()),
    ]
}

/// One line of each kind, with every field that it can have.
fn entries() -> Vec<Entry> {
    let (id, text) = (|| "c1".to_owned(), || "words".to_owned());
    vec![
        Entry::User { text: text(), told: text() },
        Entry::Assistant {
            model: "anthropic:claude".into(),
            text: text(),
            reasoning: Some(text()),
            opaque: Some(json!([{ "signature": "x" }])),
            calls: vec![Call { id: id(), tool: "edit".into(), input: json!({}) }],
        },
        Entry::Begun { id: id(), tool: "edit".into() },
        Entry::Result {
            id: id(),
            status: CallStatus::Ok,
            text: text(),
            truncated: false,
            changed: vec!["src/a.rs".into()],
            command: Some(CommandRun { command: "cargo test".into(), exit: Some(101) }),
        },
        Entry::Usage { usage: end().usage, cost_usd: Some(0.5) },
        Entry::Compact { summary: text(), before: 9000, after: 700, kept_from: 12 },
        Entry::Mode { mode: PermitMode::Plan, plan: Some("20261123-0255-a1b2".into()) },
        Entry::Model { from: "a:b".into(), to: "c:d".into(), why: text() },
        Entry::Undo { turn: 1, files: vec!["src/a.rs".into()] },
        Entry::Note { text: text(), pid: Some(42) },
        Entry::Task { task: 1, command: "npm run dev".into(), ended: Some("exit code 0".into()) },
        Entry::End { reason: EndReason::Interrupted },
    ]
}

/// Fields of an event that may be absent.
const OF_EVENT: &[&str] = &["rule"];
/// Fields of a journal's line that may be absent.
const OF_LINE: &[&str] = &["told", "reasoning", "opaque", "pid", "changed", "command", "plan"];
/// Those of a line about a command in the background, which always names it.
const OF_TASK: &[&str] = &["ended"];

/// The value keeps the schema, and so do none of it without a field that must be there, with one more, or
/// with a field of another type.
fn check(schema: &Schema, value: &Value, optional: &[&str]) {
    assert_eq!(schema.violations(value), [], "{value:#}");
    let fields = value.as_object().unwrap();
    for field in fields.keys() {
        let mut less = fields.clone();
        less.remove(field);
        let is_optional = optional.contains(&field.as_str());
        assert_eq!(schema.accepts(&less.into()), is_optional, "{value} without {field}");
        let mut other = fields.clone();
        other.insert(field.clone(), json!(false));
        let takes_any = matches!(field.as_str(), "input" | "opaque" | "truncated");
        assert!(takes_any || !schema.accepts(&other.into()), "{value} with another {field}");
    }
    let mut more = fields.clone();
    more.insert("more".into(), json!(1));
    assert!(!schema.accepts(&more.into()), "{value} with more");
}

/// The definitions of a schema that begin with these letters, without them.
fn defined(schema: &Schema, prefix: &str) -> BTreeSet<String> {
    let definitions = schema.document()["$defs"].as_object().unwrap().keys();
    definitions.filter_map(|name| name.strip_prefix(prefix)).map(str::to_owned).collect()
}

#[test]
fn every_event_keeps_the_schema_and_the_schema_has_no_other() {
    let mut seen = BTreeSet::new();
    for (seq, what) in (0..).zip(events()) {
        let event = Event { session: session(), seq, at: AT.into(), what };
        let value = serde_json::to_value(&event).unwrap();
        check(&XC_EVENT, &value, OF_EVENT);
        assert_eq!(Event::parse(&value.to_string()).unwrap(), event);
        seen.insert(value["type"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen, defined(&XC_EVENT, "event_"));
    assert!(Event::parse(r#"{"type": "text", "delta": "no head"}"#).is_err());
}

#[test]
fn every_line_of_a_journal_keeps_the_schema_and_the_schema_has_no_other() {
    let mut header = Header::new(session(), "/home/ann/p".into(), "0.1.0".into(), AT.into());
    header.pid = Some(42);
    let value = serde_json::to_value(&header).unwrap();
    check(&XC_SESSION, &value, OF_LINE);
    assert!(header.is_known());
    assert_eq!(serde_json::from_value::<Header>(value.clone()).unwrap(), header);
    let newer = value.to_string().replace("xc-session/1", "xc-session/2");
    assert!(!serde_json::from_str::<Header>(&newer).unwrap().is_known());

    let mut seen = BTreeSet::new();
    for (n, entry) in (1..).zip(entries()) {
        let line = Line { n, at: AT.into(), entry };
        let value = serde_json::to_value(&line).unwrap();
        check(&XC_SESSION, &value, if value["kind"] == "task" { OF_TASK } else { OF_LINE });
        let text = value.to_string();
        assert_eq!(Line::parse(&text).unwrap(), line);
        assert!(Line::parse(&text[..text.len() - 1]).is_err(), "a cut line is none");
        seen.insert(value["kind"].as_str().unwrap().to_owned());
    }
    assert_eq!(seen, defined(&XC_SESSION, "line_"));
}

#[test]
fn the_result_keeps_its_schema_and_is_the_end_event() {
    let result = RunResult { session: session(), end: end() };
    let value = serde_json::to_value(&result).unwrap();
    check(&XC_RESULT, &value, &[]);
    assert_eq!(value["schema"], RESULT_FORMAT);
    assert_eq!(RunResult::parse(&value.to_string()).unwrap(), result);

    let event = Event { session: session(), seq: 7, at: AT.into(), what: What::End(end()) };
    let mut event = serde_json::to_value(event).unwrap();
    for field in ["seq", "at", "type"] {
        event.as_object_mut().unwrap().remove(field);
    }
    event["schema"] = json!(RESULT_FORMAT);
    assert_eq!(event, value);
    // What is not known is told as null, and what a newer program adds is passed over.
    let unknown = RunResult { end: End { cost_usd: None, ..end() }, ..result };
    let mut value = serde_json::to_value(&unknown).unwrap();
    assert_eq!((XC_RESULT.violations(&value), &value["cost_usd"]), (vec![], &Value::Null));
    value["later"] = json!(1);
    assert_eq!(RunResult::parse(&value.to_string()).unwrap(), unknown);
}

#[test]
fn the_words_are_those_of_the_schema() {
    macro_rules! same {
        ($($words:ident at $pointer:literal;)*) => {
            $(
                let words: Vec<&str> = $words::ALL.iter().map(|word| word.as_str()).collect();
                let place = XC_EVENT.document().pointer(concat!("/$defs/", $pointer, "/enum"));
                assert_eq!(place, Some(&json!(words)), $pointer);
            )*
        };
    }
    same! {
        CallLevel at "level";
        PermitMode at "mode";
        CallStatus at "status";
        EndReason at "reason";
        FailureClass at "failure_class";
        Sandboxed at "event_start/properties/sandbox";
        Verdict at "event_permission/properties/verdict";
        DecidedBy at "event_permission/properties/by";
        Stream at "event_output/properties/stream";
        PlanState at "event_plan/properties/state";
        TestsRun at "event_evidence/properties/tests";
    }
    for exit in 0..=255_u8 {
        let is_told = matches!(exit, 0..=5 | 130 | 143);
        let result = RunResult { session: session(), end: End { exit, ..end() } };
        assert_eq!(XC_RESULT.accepts(&serde_json::to_value(result).unwrap()), is_told, "{exit}");
    }
}
