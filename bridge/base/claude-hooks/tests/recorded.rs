//! Every recorded call and transcript of the real client 2.1.197 is read.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};

use claude_hooks::call::Agent;
use claude_hooks::event::{Start, Stop, ToolUse};
use claude_hooks::prompt::{Origin, origin};
use claude_hooks::transcript::{Block, Entry, Role, Tail};
use claude_hooks::{Call, Event, Unreadable};
use proptest::prelude::{any, prop_assert, proptest};
use serde_json::{Value, json};

fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn call(name: &str) -> Call {
    let file = fixtures("hooks").into_iter().find(|path| path.ends_with(name));
    Call::read(fs::File::open(file.unwrap()).unwrap()).unwrap()
}

fn entries(name: &str) -> Vec<Entry> {
    let file = fixtures("transcripts").into_iter().find(|path| path.ends_with(name)).unwrap();
    let tail = Tail::new(fs::File::open(file).unwrap(), u64::MAX).unwrap();
    let mut entries: Vec<_> = tail.filter_map(|line| Entry::parse(&line.unwrap())).collect();
    entries.reverse();
    entries
}

#[test]
fn every_recorded_call_is_read_and_named() {
    for path in fixtures("hooks") {
        let bytes = fs::read(&path).unwrap();
        let call = Call::parse(&bytes).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        let wire: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(call.event.name(), wire["hook_event_name"], "{path:?}");
        let agent = call.agent.map(|agent| agent.id);
        assert_eq!(agent.as_deref(), wire["agent_id"].as_str(), "{path:?}");
        assert!(call.transcript_path.is_absolute() && call.cwd.is_absolute(), "{path:?}");
    }
}

#[test]
fn what_each_event_says_is_kept() {
    let tool = ToolUse {
        name: "Bash".to_owned(),
        input: json!({"command": "echo from-sub", "description": "s"}),
        id: Some("toolu_000201".to_owned()),
    };
    let asked = call("PreToolUse.Bash.subagent.json");
    assert_eq!(asked.event, Event::PreToolUse(tool));
    let agent = Agent { id: "a0000000000000001".to_owned(), kind: "general-purpose".to_owned() };
    assert_eq!(asked.agent, Some(agent));
    assert_eq!(asked.permission_mode.as_deref(), Some("default"));

    let Event::PostToolUse { tool, response, .. } = call("PostToolUse.Agent.json").event else {
        panic!("another event")
    };
    assert_eq!(tool.name, "Agent");
    assert_eq!(response["agentId"], "a0000000000000001");

    let Event::PostToolUseFailure { error, is_interrupt, .. } =
        call("PostToolUseFailure.Bash.exit_code.json").event
    else {
        panic!("another event")
    };
    assert!(error.starts_with("Exit code 1\n") && !is_interrupt, "{error}");

    let stop = Stop {
        stop_hook_active: false,
        last_assistant_message: Some("done".to_owned()),
        background_tasks: 1,
    };
    assert_eq!(call("Stop.background_running.json").event, Event::Stop(stop));
    assert!(matches!(call("Stop.active.json").event, Event::Stop(stop) if stop.stop_hook_active));
    let fork = call("SubagentStop.compaction_fork.json");
    assert_eq!(fork.agent.map(|agent| agent.kind), Some(String::new()));
    for (name, start) in [
        ("SessionStart.startup.json", Start::Startup),
        ("SessionStart.resume.json", Start::Resume),
        ("SessionStart.compact.json", Start::Compact),
    ] {
        assert_eq!(call(name).event, Event::SessionStart(start));
    }
    assert_eq!(call("SessionStart.agent_session.json").agent, None);
}

#[test]
fn recorded_prompts_are_told_apart() {
    for (name, expected) in [
        ("UserPromptSubmit.json", Origin::Typed),
        ("UserPromptSubmit.unicode.json", Origin::Typed),
        ("UserPromptSubmit.slash_command.json", Origin::SlashCommand),
        ("UserPromptSubmit.task_notification.json", Origin::Client),
    ] {
        let Event::UserPromptSubmit { prompt } = call(name).event else { panic!("{name}") };
        assert_eq!(origin(&prompt), expected, "{name}");
    }
}

#[test]
fn what_is_no_call_is_refused_with_the_reason() {
    for (input, expected) in [
        ("", "not what Claude Code sends"),
        ("{", "not what Claude Code sends"),
        ("[]", "not what Claude Code sends"),
        (r#"{"hook_event_name": 1}"#, "no `hook_event_name`"),
        ("{}", "no `hook_event_name`"),
        (r#"{"hook_event_name": "PostToolUse"}"#, "no `tool_name`"),
        (r#"{"hook_event_name": "UserPromptSubmit"}"#, "no `prompt`"),
        (r#"{"hook_event_name": "Stop"}"#, "no `session_id`"),
    ] {
        let error = Call::parse(input.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{input}: {error}");
    }
    let endless = std::io::repeat(b' ');
    assert!(matches!(Call::read(endless), Err(Unreadable::TooLong)));
}

#[test]
fn a_tool_call_is_read_as_far_as_it_can_be_and_what_is_wrong_is_noted() {
    let whole = json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t",
        "cwd": "/c", "tool_name": "Bash", "tool_input": {"command": "rm x"}, "tool_use_id": "u"});
    assert!(Call::parse(whole.to_string().as_bytes()).unwrap().doubts.is_empty());
    for (key, value, command) in [
        ("session_id", json!(7), Some("rm x")),
        ("cwd", Value::Null, Some("rm x")),
        ("transcript_path", json!([]), Some("rm x")),
        ("agent_id", json!({}), Some("rm x")),
        ("tool_use_id", json!(1), Some("rm x")),
        ("hook_event_name", json!("pre_tool_use"), Some("rm x")),
        ("hook_event_name", json!(["PreToolUse"]), Some("rm x")),
        ("tool_name", json!(["Bash"]), Some("rm x")),
        ("tool_input", json!("rm x"), Some("rm x")),
        ("tool_input", json!("{\"command\": \"rm x\"}"), Some("rm x")),
        ("tool_input", json!(["rm", "x"]), None),
        ("tool_input", Value::Null, None),
    ] {
        let mut call = whole.clone();
        call[key] = value.clone();
        let call = Call::parse(call.to_string().as_bytes()).unwrap();
        assert!(!call.doubts.is_empty(), "{key}: {value}");
        let Event::PreToolUse(tool) = &call.event else { panic!("{key}: {call:?}") };
        assert_eq!(tool.input.get("command").and_then(Value::as_str), command, "{key}: {value}");
    }
}

#[test]
fn a_transcript_tells_calls_and_their_results() {
    let entries = entries("tools_ok_and_errors.jsonl");
    let blocks: Vec<&Block> = entries.iter().flat_map(|entry| &entry.blocks).collect();
    let called: Vec<&String> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id),
            _ => None,
        })
        .collect();
    let ended: Vec<(&String, bool)> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::ToolResult { id, is_error, .. } => Some((id, *is_error)),
            _ => None,
        })
        .collect();
    assert_eq!(called.len(), ended.len());
    assert!(called.iter().all(|id| ended.iter().any(|(ended, _)| ended == id)));
    assert!(ended.iter().any(|(_, error)| *error) && ended.iter().any(|(_, error)| !*error));
}

#[test]
fn who_speaks_is_told() {
    let failed = entries("api_error.jsonl");
    assert!(failed.iter().any(|entry| entry.role == Role::Failure));
    let compacted = entries("compact_manual.jsonl");
    assert!(compacted.iter().any(|entry| entry.role == Role::Client));
    let sub = entries("parallel_tools.subagent0.jsonl");
    assert!(sub.iter().all(|entry| entry.agent_id.is_some()));
    assert!(sub.iter().any(|entry| entry.role == Role::Assistant && entry.usage.is_some()));
}

#[test]
fn every_recorded_message_is_read() {
    for path in fixtures("transcripts") {
        if path.extension().is_some_and(|end| end == "json") {
            continue;
        }
        for line in fs::read_to_string(&path).unwrap().lines() {
            let wire: Value = serde_json::from_str(line).unwrap();
            let message = matches!(wire["type"].as_str(), Some("user" | "assistant"));
            let entry = Entry::parse(line.as_bytes());
            assert_eq!(entry.is_some(), message, "{path:?}: {line}");
            assert!(entry.is_none_or(|entry| !entry.blocks.is_empty()), "{path:?}: {line}");
        }
    }
}

proptest! {
    #[test]
    fn nothing_makes_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Call::parse(&bytes).is_err());
        prop_assert!(Entry::parse(&bytes).is_none());
    }
}
