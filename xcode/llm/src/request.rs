//! What a model is asked: system prompt, tools, conversation.

use serde_json::Value;

use crate::message::Message;

/// One request for an answer. The order of tools and messages is the caller's and is kept, so that
/// two requests that follow one another have the same beginning.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What holds for the whole conversation; it may be empty.
    pub system: String,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// The conversation, oldest first; the last is the user's, or an answer with results.
    pub messages: Vec<Message>,
    /// How long the answer may be, in tokens. None: as long as the model can.
    pub output_limit: Option<u64>,
    /// How much the model may think, in tokens, where the protocol has a switch (Messages, Gemini).
    /// None: the model's default.
    pub thinking: Option<u64>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name: letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub schema: Value,
}
