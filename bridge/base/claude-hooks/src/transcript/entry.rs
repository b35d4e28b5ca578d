//! One line of a transcript. Lines of unknown kinds, and malformed ones, are ignored.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The message in one line.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The author.
    pub role: Role,
    /// The id of the message; several lines of one message share it, and its usage.
    pub message_id: Option<String>,
    /// Its time, as the client writes it (RFC 3339).
    pub timestamp: Option<String>,
    /// The sub-agent that the transcript belongs to.
    pub agent_id: Option<String>,
    /// The texts, calls and results.
    pub blocks: Vec<Block>,
    /// The usage of the request; the same on each line of a message.
    pub usage: Option<Usage>,
    /// Whether the tool of this result was interrupted and reported it; sub-agents' transcripts
    /// do not contain this.
    pub interrupted: bool,
}

/// The author of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A user, or the client with a tool's result.
    User,
    /// The client in the user's role: caveats, summaries of a compaction, hook feedback.
    Client,
    /// The model.
    Assistant,
    /// The client in the model's role, to report that a request failed.
    Failure,
}

/// The tokens of one request, as the provider counts them. A missing one counts as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Sent without the cache.
    pub input_tokens: u64,
    /// Sent, and stored in the provider's cache.
    pub cache_creation_input_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_input_tokens: u64,
    /// Generated.
    pub output_tokens: u64,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Text.
    Text(String),
    /// A tool call.
    ToolUse {
        /// The id that call and result share.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: Value,
    },
    /// The result of a tool call.
    ToolResult {
        /// The call's id.
        id: String,
        /// It failed, or was denied.
        is_error: bool,
        /// The output, as the model sees it.
        text: String,
    },
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    message: Option<Message>,
    timestamp: Option<String>,
    agent_id: Option<String>,
    is_meta: Option<bool>,
    is_compact_summary: Option<bool>,
    is_api_error_message: Option<bool>,
    #[serde(default)]
    tool_use_result: ToolUseResult,
}

/// A tool's result in its own form: an object, a text or a list. Only one key is read.
#[derive(Default)]
struct ToolUseResult {
    interrupted: bool,
}

impl<'de> Deserialize<'de> for ToolUseResult {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyShape)
    }
}

/// Skips the result without storing it: it may contain whole files.
struct AnyShape;

impl<'de> Visitor<'de> for AnyShape {
    type Value = ToolUseResult;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a tool's result")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ToolUseResult, A::Error> {
        let mut result = ToolUseResult::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "interrupted" {
                result.interrupted = map.next_value::<Value>()? == Value::Bool(true);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(result)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ToolUseResult, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(ToolUseResult::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }

    fn visit_unit<E>(self) -> Result<ToolUseResult, E> {
        Ok(ToolUseResult::default())
    }
}

#[derive(serde::Deserialize)]
struct Message {
    id: Option<String>,
    content: Value,
    usage: Option<Value>,
}

impl Entry {
    /// Parses a line; `None` if it is not a message.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let line: Line = serde_json::from_slice(line).ok()?;
        let clients = line.is_meta == Some(true) || line.is_compact_summary == Some(true);
        let role = match line.kind.as_str() {
            "user" if clients => Role::Client,
            "user" => Role::User,
            "assistant" if line.is_api_error_message == Some(true) => Role::Failure,
            "assistant" => Role::Assistant,
            _ => return None,
        };
        let message = line.message?;
        Some(Self {
            role,
            message_id: message.id,
            timestamp: line.timestamp,
            agent_id: line.agent_id,
            blocks: blocks(message.content),
            usage: message.usage.as_ref().map(Usage::of),
            interrupted: line.tool_use_result.interrupted,
        })
    }
}

impl Usage {
    /// Gateways leave out numbers or write null: such a line counts nevertheless.
    fn of(usage: &Value) -> Self {
        let number = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
        Self {
            input_tokens: number("input_tokens"),
            cache_creation_input_tokens: number("cache_creation_input_tokens"),
            cache_read_input_tokens: number("cache_read_input_tokens"),
            output_tokens: number("output_tokens"),
        }
    }
}

fn blocks(content: Value) -> Vec<Block> {
    match content {
        Value::String(text) => vec![Block::Text(text)],
        Value::Array(parts) => parts.into_iter().filter_map(block).collect(),
        _ => Vec::new(),
    }
}

fn block(part: Value) -> Option<Block> {
    let Value::Object(mut part) = part else { return None };
    let mut text = |key: &str| match part.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    Some(match text("type")?.as_str() {
        "text" => Block::Text(text("text")?),
        "tool_use" => {
            let (id, name) = (text("id")?, text("name")?);
            Block::ToolUse { id, name, input: part.remove("input").unwrap_or_default() }
        }
        "tool_result" => {
            let id = text("tool_use_id")?;
            let is_error = part.get("is_error").and_then(Value::as_bool).unwrap_or_default();
            let content = part.remove("content").unwrap_or_default();
            Block::ToolResult { id, is_error, text: joined(blocks(content)) }
        }
        _ => return None,
    })
}

/// The text of a result, which is one text or a list of blocks.
fn joined(blocks: Vec<Block>) -> String {
    let words = blocks.into_iter().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::Entry;

    #[test]
    fn an_interrupted_tool_says_so_whatever_shape_results_have() {
        for (result, expected) in [
            (r#"{"stdout": "x", "interrupted": true}"#, true),
            (r#"{"stdout": {"interrupted": true}, "interrupted": false}"#, false),
            (r#"{"interrupted": "true"}"#, false),
            (r#"["interrupted"]"#, false),
            (r#""Error: interrupted""#, false),
            ("null", false),
            ("-1", false),
            ("1.5", false),
            ("true", false),
        ] {
            let line = format!(
                r#"{{"type": "user", "message": {{"content": "x"}}, "toolUseResult": {result}}}"#
            );
            assert_eq!(Entry::parse(line.as_bytes()).unwrap().interrupted, expected, "{result}");
        }
        let bare = br#"{"type": "user", "message": {"content": "x"}}"#;
        assert!(!Entry::parse(bare).unwrap().interrupted);
    }
}
