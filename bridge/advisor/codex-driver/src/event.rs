//! Parses the JSON events of `codex exec --json`: each line is an [`Event`]. Total: every line gives an event.
//!
//! A line is parsed to a [`serde_json::Value`] and then converted by hand, because codex 0.169
//! emits the key `id` twice in `web_search` items, which a derived type rejects.

use contract::advice::Usage;
use contract::id::ThreadId;
use serde_json::Value;

/// Maximum length of a text from Codex or the provider in an event, the answer excepted, in characters. Codex's messages
/// are below 400; a provider's HTML error page is not.
pub const TEXT_MAX_CHARS: usize = 8 * 1024;

/// The content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The thread has this id. Always the first event.
    ThreadStarted {
        /// Codex's id of the thread.
        thread_id: ThreadId,
    },
    /// The request is about to be sent to the model.
    TurnStarted,
    /// A message of the model. The last one before [`Event::TurnCompleted`] is the answer.
    AgentMessage {
        /// The text, in full.
        text: String,
    },
    /// A warning; the turn continues (an item of type `error` is not a failure).
    Warning {
        /// Codex's message.
        message: String,
    },
    /// Another item that started, changed or ended.
    Item {
        /// Such as `reasoning` or `command_execution`.
        kind: String,
        /// Codex's id of it within the turn.
        id: String,
        /// Its subject: the command, the tool as `SERVER.TOOL`, or the search query.
        subject: Option<String>,
        /// Its stage.
        stage: Stage,
    },
    /// A top-level `error`: usually transient ("Reconnecting... 1/5 (...)").
    Error {
        /// Codex's message.
        message: String,
    },
    /// The turn succeeded.
    TurnCompleted {
        /// Tokens of the whole thread so far; zeros when the provider reported none.
        usage: Usage,
    },
    /// The turn failed.
    TurnFailed {
        /// Codex's message.
        message: String,
        /// Codex's classification, if given; `codex exec` does not give one.
        kind: Option<ErrorKind>,
    },
    /// JSON of an unknown type.
    Unknown {
        /// Its `type`, empty if absent.
        kind: String,
    },
    /// Not a JSON object, or one without a required field.
    Malformed,
    /// White space only.
    Blank,
}

/// Codex's classification of an error: `codexErrorInfo` of its app-server (codex 0.145 to 0.169).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorKind {
    /// Its name, such as `usageLimitExceeded` or `httpConnectionFailed`.
    pub name: String,
    /// The HTTP status that came with it.
    pub status: Option<u16>,
}

/// The stage of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// `item.started`: a command or a tool is running.
    Started,
    /// `item.updated`.
    Updated,
    /// `item.completed`.
    Completed,
}

impl Event {
    /// Parses one line. Invalid UTF-8 is replaced, unknown fields are ignored.
    #[must_use]
    pub fn read(line: &[u8]) -> Self {
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return Self::Blank;
        }
        let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(&text) else {
            return Self::Malformed;
        };
        from_value(&value).unwrap_or(Self::Malformed)
    }

    /// The `codex exec` event for an item that another driver reported.
    pub(crate) fn item(kind: &str, id: &str, subject: Option<&str>, stage: Stage) -> Self {
        let subject = subject.map(|subject| match kind {
            "command_execution" => bounded(unwrapped(subject)),
            _ => bounded(subject),
        });
        let subject = subject.filter(|subject| !subject.is_empty());
        Self::Item { kind: bounded(kind), id: bounded(id), subject, stage }
    }
}

/// `None` if a required field is missing or has another type.
fn from_value(value: &Value) -> Option<Event> {
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let message = |value: &Value| value.get("message").and_then(Value::as_str).map(bounded);
    Some(match kind {
        "thread.started" => {
            Event::ThreadStarted { thread_id: value.get("thread_id")?.as_str()?.parse().ok()? }
        }
        "turn.started" => Event::TurnStarted,
        "item.started" | "item.updated" | "item.completed" => {
            let item = value.get("item")?;
            match item.get("type")?.as_str()? {
                // The text arrives in full with `item.completed`; codex 0.169 sends no other stage.
                "agent_message" if kind == "item.completed" => {
                    Event::AgentMessage { text: item.get("text")?.as_str()?.to_owned() }
                }
                "error" => Event::Warning { message: message(item)? },
                other => Event::Item {
                    kind: bounded(other),
                    id: item.get("id").and_then(Value::as_str).map(bounded).unwrap_or_default(),
                    subject: subject(other, item),
                    stage: match kind {
                        "item.started" => Stage::Started,
                        "item.updated" => Stage::Updated,
                        _ => Stage::Completed,
                    },
                },
            }
        }
        "error" => Event::Error { message: message(value)? },
        "turn.completed" => Event::TurnCompleted { usage: usage(value.get("usage")) },
        "turn.failed" => {
            let message = value.get("error").and_then(message).unwrap_or_default();
            Event::TurnFailed { message, kind: None }
        }
        other => Event::Unknown { kind: bounded(other) },
    })
}

/// The subject of an item, if its type has one.
fn subject(kind: &str, item: &Value) -> Option<String> {
    let word = |key: &str| item.get(key).and_then(Value::as_str);
    let subject = match kind {
        "command_execution" => unwrapped(word("command")?).to_owned(),
        "mcp_tool_call" => format!("{}.{}", word("server")?, word("tool")?),
        "web_search" => word("query")?.to_owned(),
        _ => return None,
    };
    let subject = bounded(&subject);
    (!subject.is_empty()).then_some(subject)
}

/// Removes Codex's wrapper around a command: `/bin/bash -lc 'ls'` (codex 0.169).
fn unwrapped(command: &str) -> &str {
    let inner = command.split_once(" -lc ").map_or(command, |(_, inner)| inner);
    let unquoted = inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
    unquoted.unwrap_or(inner)
}

fn usage(value: Option<&Value>) -> Usage {
    let tokens =
        |name| value.and_then(|usage| usage.get(name)).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input_tokens: tokens("input_tokens"),
        cached_input_tokens: tokens("cached_input_tokens"),
        output_tokens: tokens("output_tokens"),
        reasoning_output_tokens: tokens("reasoning_output_tokens"),
    }
}

fn bounded(text: &str) -> String {
    text.chars().take(TEXT_MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    use super::*;

    fn check(line: &str, expected: Expect) {
        expected.assert_eq(&format!("{:?}", Event::read(line.as_bytes())));
    }

    #[test]
    fn lines_of_codex_are_understood() {
        check(
            r#"{"type":"thread.started","thread_id":"01A1FCCA-0698-7310-ba47-d388ee82ebcb"}"#,
            expect!["ThreadStarted { thread_id: ThreadId(01a1fcca-0698-7310-ba47-d388ee82ebcb) }"],
        );
        check(r#"{"type":"turn.started"}"#, expect!["TurnStarted"]);
        check(
            r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"a\u2028b"}}"#,
            expect![[r#"AgentMessage { text: "a\u{2028}b" }"#]],
        );
        check(
            r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","id":"ws_1"}}"#,
            expect![[
                r#"Item { kind: "web_search", id: "ws_1", subject: None, stage: Completed }"#
            ]],
        );
        check(
            r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"/bin/bash -lc 'ls src'"}}"#,
            expect![[
                r#"Item { kind: "command_execution", id: "item_1", subject: Some("ls src"), stage: Started }"#
            ]],
        );
        check(
            r#"{"type":"item.started","item":{"id":"item_1","type":"mcp_tool_call","server":"ci","tool":"ci_search"}}"#,
            expect![[
                r#"Item { kind: "mcp_tool_call", id: "item_1", subject: Some("ci.ci_search"), stage: Started }"#
            ]],
        );
        check(
            r#"{"type":"item.completed","item":{"id":"item_0","type":"error","message":"deprecated"}}"#,
            expect![[r#"Warning { message: "deprecated" }"#]],
        );
        check(
            r#"{"type":"error","message":"Reconnecting... 1/5 (x)"}"#,
            expect![[r#"Error { message: "Reconnecting... 1/5 (x)" }"#]],
        );
        check(
            r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":10,"output_tokens":20}}"#,
            expect![
                "TurnCompleted { usage: Usage { input_tokens: 100, cached_input_tokens: 10, output_tokens: 20, reasoning_output_tokens: 0 } }"
            ],
        );
        check(
            r#"{"type":"turn.failed","error":{"message":"no"}}"#,
            expect![[r#"TurnFailed { message: "no", kind: None }"#]],
        );
    }

    #[test]
    fn anything_else_is_tolerated() {
        check(r#"{"type":"turn.paused"}"#, expect![[r#"Unknown { kind: "turn.paused" }"#]]);
        check(r#"{"id":"0","msg":{}}"#, expect![[r#"Unknown { kind: "" }"#]]);
        check(r#"{"type":"turn.failed"}"#, expect![[r#"TurnFailed { message: "", kind: None }"#]]);
        check(
            r#"{"type":"turn.completed"}"#,
            expect![
                "TurnCompleted { usage: Usage { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 } }"
            ],
        );
        check(r#"{"type":"thread.started","thread_id":"latest"}"#, expect!["Malformed"]);
        check(r#"{"type":"item.completed","item":{"type":"agent_message"}}"#, expect!["Malformed"]);
        check("[1]", expect!["Malformed"]);
        check("panicked at src/main.rs", expect!["Malformed"]);
        check(&format!("{}1", "[".repeat(10_000)), expect!["Malformed"]);
        check(" \r", expect!["Blank"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_some_event(line in prop::collection::vec(any::<u8>(), 0..512)) {
            let _ = Event::read(&line);
        }

        #[test]
        fn any_cut_or_mutated_line_is_some_event(cut in 0usize..200, at in 0usize..200, byte: u8) {
            let mut line = br#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"\ud83d\ude00 x"},"n":1e9}"#.to_vec();
            let length = line.len();
            line[at % length] = byte;
            line.truncate(cut);
            let _ = Event::read(&line);
        }
    }
}
