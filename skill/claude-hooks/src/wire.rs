//! The standard input of a hook as it is on the wire: one flat object whose keys depend on the
//! event. Unknown keys are ignored, because every release of the client adds some.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use crate::event::{Event, Start, Stop, ToolUse};

#[derive(Deserialize)]
pub(crate) struct Wire {
    pub(crate) hook_event_name: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) transcript_path: Option<PathBuf>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) prompt_id: Option<String>,
    pub(crate) permission_mode: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) agent_type: Option<String>,
    source: Option<String>,
    prompt: Option<String>,
    tool_name: Option<String>,
    tool_input: Option<Value>,
    tool_use_id: Option<String>,
    tool_response: Option<Value>,
    duration_ms: Option<u64>,
    error: Option<Value>,
    is_interrupt: Option<bool>,
    stop_hook_active: Option<bool>,
    last_assistant_message: Option<String>,
    background_tasks: Option<Vec<Value>>,
    agent_transcript_path: Option<PathBuf>,
    reason: Option<String>,
    trigger: Option<String>,
}

impl Wire {
    /// The event of this name, or the key that it lacks.
    pub(crate) fn event(&mut self, name: &str) -> Result<Event, &'static str> {
        Ok(match name {
            "SessionStart" => Event::SessionStart(match self.source.as_deref() {
                Some("startup") => Start::Startup,
                Some("resume") => Start::Resume,
                Some("clear") => Start::Clear,
                Some("compact") => Start::Compact,
                _ => Start::Unknown,
            }),
            "UserPromptSubmit" => {
                Event::UserPromptSubmit { prompt: self.prompt.take().ok_or("prompt")? }
            }
            "PreToolUse" => Event::PreToolUse(self.tool()?),
            "PostToolUse" => Event::PostToolUse {
                tool: self.tool()?,
                response: self.tool_response.take().unwrap_or_default(),
                duration_ms: self.duration_ms,
            },
            "PostToolUseFailure" => Event::PostToolUseFailure {
                tool: self.tool()?,
                error: self.error(),
                is_interrupt: self.is_interrupt.unwrap_or_default(),
            },
            "Stop" => Event::Stop(self.stop()),
            "SubagentStart" => Event::SubagentStart,
            "SubagentStop" => Event::SubagentStop {
                stop: self.stop(),
                agent_transcript_path: self.agent_transcript_path.take(),
            },
            "StopFailure" => Event::StopFailure {
                error: self.error(),
                last_assistant_message: self.last_assistant_message.take(),
            },
            "SessionEnd" => Event::SessionEnd { reason: self.reason.take().unwrap_or_default() },
            "PreCompact" => Event::PreCompact { trigger: self.trigger.take().unwrap_or_default() },
            other => Event::Other(other.to_owned()),
        })
    }

    fn tool(&mut self) -> Result<ToolUse, &'static str> {
        Ok(ToolUse {
            name: self.tool_name.take().ok_or("tool_name")?,
            input: self.tool_input.take().ok_or("tool_input")?,
            id: self.tool_use_id.take(),
        })
    }

    fn stop(&mut self) -> Stop {
        Stop {
            stop_hook_active: self.stop_hook_active.unwrap_or_default(),
            last_assistant_message: self.last_assistant_message.take(),
            background_tasks: self.background_tasks.as_ref().map_or(0, Vec::len),
        }
    }

    /// A text in every version seen; anything else is shown as it is.
    fn error(&mut self) -> String {
        match self.error.take() {
            Some(Value::String(text)) => text,
            Some(other) => other.to_string(),
            None => String::new(),
        }
    }
}
