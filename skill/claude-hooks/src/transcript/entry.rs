//! One line of a transcript. Lines of unknown kinds, and broken ones, give nothing.

use serde::Deserialize;
use serde_json::Value;

/// What one line says of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Who speaks.
    pub role: Role,
    /// The id of the message; several lines of one message share it, and its usage.
    pub message_id: Option<String>,
    /// When, as the client writes it (RFC 3339).
    pub timestamp: Option<String>,
    /// The sub-agent whose record this is.
    pub agent_id: Option<String>,
    /// The words, calls and results.
    pub blocks: Vec<Block>,
    /// Tokens that the message produced, as the line says; the same on each line of a message.
    pub output_tokens: Option<u64>,
}

/// Who speaks in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A person, or the client with a tool's result.
    User,
    /// The client in the user's place: caveats, summaries of a compaction, hook feedback.
    Client,
    /// The model.
    Assistant,
    /// The client in the model's place, to tell that a request failed.
    Failure,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Words.
    Text(String),
    /// A tool is called.
    ToolUse {
        /// Ties the call to its result.
        id: String,
        /// The tool.
        name: String,
        /// Its arguments.
        input: Value,
    },
    /// A tool has ended.
    ToolResult {
        /// The call's id.
        id: String,
        /// It failed, or was refused.
        is_error: bool,
        /// What it printed, as the model sees it.
        text: String,
    },
}

#[derive(Deserialize)]
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
}

#[derive(Deserialize)]
struct Message {
    id: Option<String>,
    content: Value,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Usage {
    output_tokens: Option<u64>,
}

impl Entry {
    /// Reads a line; `None` for what is no message.
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
            output_tokens: message.usage.and_then(|usage| usage.output_tokens),
        })
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

/// The words of a result, which comes as one text or as blocks.
fn joined(blocks: Vec<Block>) -> String {
    let words = blocks.into_iter().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}
