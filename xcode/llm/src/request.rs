//! A request to a model: system prompt, tools, conversation.

use serde_json::Value;

use crate::message::Message;

/// One request. The order of tools and messages is set by the caller and kept, so that
/// consecutive requests have the same prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The system prompt; may be empty.
    pub system: String,
    /// The available tools.
    pub tools: Vec<Tool>,
    /// The conversation, oldest first; the last message is the user's, or an answer with results.
    pub messages: Vec<Message>,
    /// Maximum length of the answer, in tokens. `None`: the model's maximum.
    pub output_limit: Option<u64>,
    /// Maximum reasoning, in tokens, if the protocol supports it (Messages, Gemini).
    /// `None`: the model's default.
    pub thinking: Option<u64>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// Its description, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub schema: Value,
}
