//! A tool call as the host hands it over.

use serde_json::Value;

/// One call of one tool, before it happens.
#[derive(Clone, Copy, Debug)]
pub struct ToolCall<'a> {
    /// The tool's name, as the client says it: `Bash`, `Write`, `mcp__server__tool`.
    pub name: &'a str,
    /// The tool's input, as the client says it.
    pub input: &'a Value,
}

impl<'a> ToolCall<'a> {
    /// A text field of the input; empty if there is none.
    pub(crate) fn text(&self, field: &str) -> &'a str {
        self.input.get(field).and_then(Value::as_str).unwrap_or_default()
    }
}
