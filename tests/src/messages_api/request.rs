//! A request of the client, with the accessors that scripts and tests need.

use mock_model::Recorded;
use serde_json::Value;

/// The agent that sent a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agent {
    /// The session itself.
    Main,
    /// A sub-agent, by the id that the client sends in `x-claude-code-agent-id` (Claude Code 2.1.197).
    /// A skill with `context: fork` sends none and counts as the main agent.
    Sub(String),
}

/// A request to `/v1/messages`, as received.
#[derive(Debug, Clone)]
pub struct Request {
    /// The agent that sent it.
    pub agent: Agent,
    /// The session's id, if the client sent one.
    pub session_id: Option<String>,
    /// The whole body.
    pub body: Value,
}

impl Request {
    /// The request in a recorded exchange.
    pub(super) fn of(recorded: &Recorded) -> Self {
        let header = |name| recorded.header(name).map(str::to_owned);
        Self {
            agent: header("x-claude-code-agent-id").map_or(Agent::Main, Agent::Sub),
            session_id: header("x-claude-code-session-id"),
            body: recorded.json(),
        }
    }

    /// How many answers of the model the conversation has already.
    #[must_use]
    pub fn turn(&self) -> usize {
        self.messages().iter().filter(|message| message["role"] == "assistant").count()
    }

    /// The conversation.
    #[must_use]
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The names of the offered tools.
    #[must_use]
    pub fn tools(&self) -> Vec<&str> {
        let tools = self.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
        tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    /// The text of the last tool result, or an empty text.
    #[must_use]
    pub fn last_result(&self) -> String {
        let blocks = self.messages().iter().flat_map(blocks);
        let mut results = blocks.filter(|block| block["type"] == "tool_result");
        results.next_back().map(|block| text_of(&block["content"])).unwrap_or_default()
    }

    /// All texts since the model's last answer: prompt, tool results, reminders, and the additions of
    /// hooks.
    #[must_use]
    pub fn news(&self) -> String {
        let messages = self.messages();
        let last = messages.iter().rposition(|message| message["role"] == "assistant");
        let new = &messages[last.map_or(0, |index| index + 1)..];
        let texts: Vec<String> = new.iter().map(|message| text_of(&message["content"])).collect();
        texts.join("\n")
    }

    /// All texts of the request: the system prompt and the whole conversation.
    #[must_use]
    pub fn everything(&self) -> String {
        let mut texts = vec![text_of(&self.body["system"])];
        texts.extend(self.messages().iter().map(|message| text_of(&message["content"])));
        texts.join("\n")
    }
}

/// The blocks of a message; none if the content is a plain text.
fn blocks(message: &Value) -> &[Value] {
    message["content"].as_array().map_or(&[], Vec::as_slice)
}

/// The texts of a content: a plain text, or its text blocks and tool results, in order.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks.iter().map(text_of).collect();
            texts.join("\n")
        }
        Value::Object(block) if block.contains_key("text") => text_of(&block["text"]),
        Value::Object(block) if block.contains_key("content") => text_of(&block["content"]),
        _ => String::new(),
    }
}
