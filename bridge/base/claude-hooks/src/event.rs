//! The input of a hook for each event. Fields that none of our hooks needs are left out.

use std::path::PathBuf;

use serde_json::Value;

/// A hook event with its own fields.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A session begins, is resumed, was cleared or compacted. Its transcript may not exist yet.
    SessionStart(Start),
    /// A prompt is about to be sent to the model: typed, a slash command, or the client's own.
    UserPromptSubmit {
        /// The raw text; `/command arguments` are not expanded.
        prompt: String,
    },
    /// A tool is about to run. Calls that violate the tool's schema trigger no hook.
    PreToolUse(ToolUse),
    /// A tool has run and succeeded.
    PostToolUse {
        /// The call.
        tool: ToolUse,
        /// The result, in the tool's own form.
        response: Value,
        /// How long the tool took.
        duration_ms: Option<u64>,
    },
    /// A tool has run and failed, as a shell command with another exit code than 0 does.
    PostToolUseFailure {
        /// The call.
        tool: ToolUse,
        /// The error, as the model sees it.
        error: String,
        /// Whether the user interrupted the tool.
        is_interrupt: bool,
    },
    /// The main agent is about to end its turn. Not triggered by an interrupt or a failed request.
    Stop(Stop),
    /// A sub-agent begins, or continues after a message.
    SubagentStart,
    /// A sub-agent is about to end. The client's own fork at a compaction has an empty type.
    SubagentStop {
        /// As for the main agent.
        stop: Stop,
        /// The sub-agent's own transcript.
        agent_transcript_path: Option<PathBuf>,
    },
    /// A turn ended because the request to the model failed, in the main agent or a sub-agent.
    StopFailure {
        /// The client's name of the kind of failure, such as `rate_limit` or `unknown`.
        error: String,
        /// The last message.
        last_assistant_message: Option<String>,
    },
    /// A session has ended; an answer has no effect.
    SessionEnd {
        /// The reason; `other` with `claude -p`.
        reason: String,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// By the user or by the client.
        trigger: String,
    },
    /// Another event, which our hooks ignore.
    Other(String),
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// A new session.
    Startup,
    /// A resumed session.
    Resume,
    /// After `/clear`.
    Clear,
    /// After a compaction: text that was injected before is gone.
    Compact,
    /// In a way that is unknown to this version.
    Unknown,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The tool's name; sub-agents are started by `Agent`, MCP tools are `mcp__server__tool`.
    pub name: String,
    /// The arguments, in the tool's own form; paths of files are absolute.
    pub input: Value,
    /// The id that the events of one call share.
    pub id: Option<String>,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// Whether a hook has already kept the agent from stopping. After eight times in a row the client
    /// stops nevertheless.
    pub stop_hook_active: bool,
    /// The final message. It is available here before it is in the transcript.
    pub last_assistant_message: Option<String>,
    /// How many background tasks are still running.
    pub background_tasks: usize,
}

impl Event {
    /// The client's name of the event, which an answer must contain.
    pub fn name(&self) -> &str {
        match self {
            Self::SessionStart(_) => "SessionStart",
            Self::UserPromptSubmit { .. } => "UserPromptSubmit",
            Self::PreToolUse(_) => "PreToolUse",
            Self::PostToolUse { .. } => "PostToolUse",
            Self::PostToolUseFailure { .. } => "PostToolUseFailure",
            Self::Stop(_) => "Stop",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop { .. } => "SubagentStop",
            Self::StopFailure { .. } => "StopFailure",
            Self::SessionEnd { .. } => "SessionEnd",
            Self::PreCompact { .. } => "PreCompact",
            Self::Other(name) => name,
        }
    }
}
