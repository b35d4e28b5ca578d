//! Simulates one turn in a mode.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::Refusal;
use crate::mode::{Mode, Odd};
use crate::stream::Stream;
use crate::thread::Thread;
use crate::trouble;

/// The API's message for a wrong key (codex 0.169).
const UNAUTHORIZED: &str = "unexpected status 401 Unauthorized: Incorrect API key provided: \
                            sk-fake., url: https://api.openai.com/v1/responses";
/// Codex's message for a full disk (codex 0.169).
const NOT_SAVED: &str = "Failed to save the conversation transcript; Codex will continue \
                         retrying. Error: thread-store internal error: No space left on device \
                         (os error 28)";
/// Codex's message without a network (codex 0.169).
const WAITING: &str =
    "Reconnecting... waiting for network (Connection failed: error sending request)";

/// Runs the turn; returns the exit code.
pub(crate) fn play(
    mode: &Mode,
    thread: &mut Thread,
    is_resumed: bool,
    mut stream: Stream,
) -> Result<u8, Refusal> {
    match mode {
        Mode::Silent => return Ok(0),
        Mode::Exit(code, message) => return Err(Refusal(*code, message.clone())),
        Mode::Unknown(word) => return Err(Refusal(64, format!("fake-codex: no mode {word:?}"))),
        Mode::WrongThreadId if is_resumed => {
            stream.thread_started(&uuid::Uuid::now_v7().to_string());
        }
        _ => stream.thread_started(&thread.id),
    }
    if *mode == Mode::Odd(Odd::Warnings) {
        stream.warning("Model metadata for `fake` not found. Defaulting to fallback metadata.");
        stream.warning("Unknown configuration key: fake");
    }
    stream.turn_started();
    let mut answer = advice(thread);
    match mode {
        Mode::HangAfterThread => return trouble::forever(),
        Mode::IgnoreTerm => return trouble::ignore_signals(|| stream.error("ignoring signals")),
        Mode::SlowDrip(pause) => loop {
            stream.raw(b" ");
            trouble::pause(*pause);
        },
        Mode::Reconnecting => loop {
            stream.error(WAITING);
            trouble::pause(Duration::from_millis(200));
        },
        Mode::DieMid => {
            stream.raw(br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_mess"#);
            return trouble::die();
        }
        Mode::Oom => return trouble::take_memory(),
        Mode::FillMemory(path) => {
            while !path.exists() {
                trouble::pause(Duration::from_millis(10));
            }
            return trouble::fill_memory();
        }
        Mode::CloseStdoutNoMessage => {
            trouble::close_stdout();
            return trouble::forever();
        }
        Mode::Tree(count) => {
            (0..*count).for_each(|_| trouble::daemonise());
            return trouble::forever();
        }
        Mode::Auth => return failed(&stream, UNAUTHORIZED),
        Mode::TurnFailed(message) => return failed(&stream, message),
        Mode::MessageThenTurnFailed(message) => {
            stream.message(&answer);
            return failed(&stream, message);
        }
        Mode::OkAfter(pause) => trouble::pause(*pause),
        Mode::OkWhen(path) => {
            while !path.exists() {
                trouble::pause(Duration::from_millis(10));
            }
        }
        Mode::ForkBomb(count) => (0..*count).for_each(|_| trouble::daemonise()),
        Mode::Flood(bytes) => flood(&stream, *bytes),
        Mode::LongLine(bytes) => long_line(&stream, *bytes),
        Mode::StderrFlood(bytes) => stderr_flood(*bytes),
        Mode::Odd(odd) => odd_lines(&mut stream, *odd),
        Mode::Text(text) => answer.clone_from(text),
        Mode::EmptyText => answer.clear(),
        Mode::BadSchema if !is_resumed => answer = broken(&answer),
        Mode::BadSchemaAlways => answer = broken(&answer),
        Mode::Fenced => answer = format!("```json\n{answer}\n```"),
        Mode::Chatty => {
            answer =
                format!("Certainly! Here is {{my}} advice:\n\n{answer}\n\nI hope {{it}} helps.");
        }
        Mode::EchoEnv => answer = with_summary(&answer, &environment()),
        _ => {}
    }
    if *mode != Mode::NoMessage {
        stream.message(&answer);
    }
    if *mode == Mode::TranscriptNotSaved {
        stream.warning(NOT_SAVED);
    }
    stream.completed(&thread.complete());
    match mode {
        Mode::TranscriptNotSaved => thread.forget(),
        Mode::Linger => return trouble::forever(),
        Mode::CloseStdoutLive => {
            trouble::close_stdout();
            return trouble::forever();
        }
        _ => {}
    }
    Ok(0)
}

fn failed(stream: &Stream, message: &str) -> Result<u8, Refusal> {
    stream.failed(message);
    Ok(1)
}

/// Valid advice for the latest question of the thread: the first plan is preferred. The summary
/// lists the content of the thread.
fn advice(thread: &Thread) -> String {
    let (turn, prompts) = (thread.turns() + 1, thread.prompts().len());
    let text = mock_model::advice::answer(thread.prompts());
    with_summary(
        &text,
        &format!("fake-codex: turn {turn} of thread {}, prompts {prompts}", thread.id),
    )
}

fn with_summary(advice: &str, summary: &str) -> String {
    let mut advice: Value = serde_json::from_str(advice).unwrap_or_default();
    advice["raw_text"] = json!(summary);
    advice.to_string()
}

/// Advice with two faults: no alternative, and a plan that does not exist.
fn broken(advice: &str) -> String {
    let mut advice: Value = serde_json::from_str(advice).unwrap_or_default();
    advice["alternatives"] = json!([]);
    advice["recommendation"]["preferred_plan"] = json!("a plan that no one proposed");
    advice.to_string()
}

/// The environment and the open descriptors, one per line.
fn environment() -> String {
    let mut lines: Vec<String> = std::env::vars_os()
        .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
        .collect();
    lines.sort();
    let descriptors = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    lines.extend(descriptors.map(|entry| {
        let target = std::fs::read_link(entry.path()).unwrap_or_default();
        format!("fd {} -> {}", entry.file_name().to_string_lossy(), target.display())
    }));
    lines.join("\n")
}

fn flood(stream: &Stream, bytes: u64) {
    let item = json!({"id": "item_0", "type": "reasoning", "text": "x".repeat(4000)});
    let line = format!("{}\n", json!({"type": "item.completed", "item": item}));
    let block = line.repeat(64);
    for _ in 0..bytes.div_ceil(block.len() as u64) {
        stream.raw(block.as_bytes());
    }
}

fn long_line(stream: &Stream, bytes: u64) {
    stream.raw(br#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":""#);
    let block = [b'x'; 64 << 10];
    for _ in 0..bytes.div_ceil(block.len() as u64) {
        stream.raw(&block);
    }
    stream.raw(b"\"}}\n");
}

fn stderr_flood(bytes: u64) {
    let line = "2026-11-21T06:45:29.685443Z ERROR codex_core: flood\n";
    let block = line.repeat(1000);
    for _ in 0..bytes.div_ceil(block.len() as u64) {
        // A closed reader ends the flood.
        if io::stderr().write_all(block.as_bytes()).is_err() {
            return;
        }
    }
}

fn odd_lines(stream: &mut Stream, odd: Odd) {
    match odd {
        Odd::BadUtf8 => {
            stream.raw(b"\xff\xfe\x80\n");
            stream.raw(b"{\"type\":\"error\",\"message\":\"broken \xc3\x28 text\"}\n");
        }
        Odd::NotJson => {
            stream.raw(b"thread 'main' has something to say\n\n{\"type\":\n[1,2]\nnull\n42\n");
        }
        Odd::UnknownEvents => {
            stream.event(&json!({"type": "thread.moved", "to": {"x": [1, null]}}));
            stream.event(&json!({"type": 7}));
            stream.event(&json!({"no": "type"}));
            let id = stream.item_id();
            let item = json!({"id": id, "type": "dream", "text": {"nested": true}});
            stream.event(&json!({"type": "item.completed", "item": item, "extra": 1}));
            stream.event(&json!({"type": "item.completed"}));
        }
        Odd::DuplicateKeys => {
            let id = stream.item_id();
            let item = format!(r#"{{"id":"{id}","type":"web_search","id":"ws_1","query":"q"}}"#);
            stream.raw(format!("{{\"type\":\"item.completed\",\"item\":{item}}}\n").as_bytes());
        }
        Odd::Warnings => {}
    }
}
