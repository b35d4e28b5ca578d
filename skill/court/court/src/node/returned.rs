//! Parses the client's result of a sub-agent's call, in the format of 2.1.197. Total: from a changed
//! format the known fields are used.

use serde_json::Value;

/// The result of an `Agent` call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returned {
    /// It runs in the background and has not ended.
    pub is_launch: bool,
    /// The sub-agent.
    pub agent_id: Option<String>,
    /// The agent type in the call.
    pub agent_type: Option<String>,
    /// Its last message.
    pub text: String,
    /// Its duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// Number of tokens.
    pub tokens: Option<u64>,
    /// Number of tool calls.
    pub tool_calls: Option<u64>,
    /// Number of edited files, by the client's count.
    pub edits: Option<u64>,
    /// The client's status.
    pub status: Option<String>,
    /// None of its requests was answered: no tokens, and tool statistics that are absent or null. The
    /// client (2.1.197) still reports "completed".
    pub is_unanswered: bool,
}

impl Returned {
    /// Parses a `tool_response`, which may be plain text.
    #[must_use]
    pub fn read(response: &Value) -> Self {
        let text = |key: &str| response.get(key).and_then(Value::as_str).map(str::to_owned);
        let number = |key: &str| response.get(key).and_then(Value::as_u64);
        let status = text("status");
        let tokens = number("totalTokens");
        let statistics = response.get("toolStats").filter(|stats| !stats.is_null());
        let is_launch = status.as_deref() == Some("async_launched");
        Self {
            is_launch,
            agent_id: text("agentId"),
            agent_type: text("agentType"),
            text: words(response.get("content").unwrap_or(response)),
            duration_ms: number("totalDurationMs"),
            tokens,
            tool_calls: number("totalToolUseCount"),
            edits: statistics.and_then(|stats| stats.get("editFileCount")).and_then(Value::as_u64),
            is_unanswered: !is_launch && tokens == Some(0) && statistics.is_none(),
            status,
        }
    }
}

/// A text, or the texts of a list of blocks.
fn words(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_agent_without_a_token_and_statistics_was_not_answered() {
        let read = |response: &Value| Returned::read(response).is_unanswered;
        let absent = json!({ "status": "completed", "totalTokens": 0 });
        let with = |key: &str, value: Value| {
            let mut response = absent.clone();
            response[key] = value;
            response
        };
        assert!(read(&absent) && read(&with("toolStats", Value::Null)));
        assert!(!read(&with("toolStats", json!({ "readCount": 0 }))));
        assert!(!read(&with("totalTokens", json!(3))));
        assert!(!read(&with("status", json!("async_launched"))));
    }
}
