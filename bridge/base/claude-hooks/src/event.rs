//! What the client tells a hook, event by event. Fields that no hook of ours needs are left out.

use std::path::PathBuf;

use serde_json::Value;

/// A hook event with its own fields.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A session begins, goes on, was cleared or compacted. Its transcript may not exist yet.
    SessionStart(Start),
    /// A prompt is about to go to the model: typed, a slash command, or the client's own.
    UserPromptSubmit {
        /// The raw text; `/command arguments` are not expanded.
        prompt: String,
    },
    /// A tool is about to run. Calls that break the tool's schema fire no hook.
    PreToolUse(ToolUse),
    /// A tool has run and succeeded.
    PostToolUse {
        /// The call.
        tool: ToolUse,
        /// The result, in the tool's own shape.
        response: Value,
        /// How long the tool took.
        duration_ms: Option<u64>,
    },
    /// A tool has run and failed, as a shell command with another exit code than 0 does.
    PostToolUseFailure {
        /// The call.
        tool: ToolUse,
        /// What went wrong, as the model sees it.
        error: String,
        /// The user interrupted the tool.
        is_interrupt: bool,
    },
    /// The main agent is about to end its turn. Not fired on an interrupt or a failed request.
    Stop(Stop),
    /// A sub-agent begins, or goes on after a message.
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
        /// The client's word for the kind of failure, such as `rate_limit` or `unknown`.
        error: String,
        /// What stands as the last message.
        last_assistant_message: Option<String>,
    },
    /// A session is over; an answer has no effect.
    SessionEnd {
        /// Why; `other` with `claude -p`.
        reason: String,
    },
    /// The conversation is about to be compacted.
    PreCompact {
        /// By the user or by the client.
        trigger: String,
    },
    /// One of the other events, which hooks of ours let pass.
    Other(String),
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Anew.
    Startup,
    /// With the record of an earlier one.
    Resume,
    /// After `/clear`.
    Clear,
    /// After a compaction: what was injected before is gone.
    Compact,
    /// In a way that this version does not know.
    Unknown,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolUse {
    /// The tool's name; sub-agents are called by `Agent`, MCP tools are `mcp__server__tool`.
    pub name: String,
    /// The arguments, in the tool's own shape; paths of files are absolute.
    pub input: Value,
    /// Ties the events of one call together.
    pub id: Option<String>,
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// A hook has already kept the agent from stopping. After eight times in a row the client
    /// stops regardless.
    pub stop_hook_active: bool,
    /// The final statement. It is here before it is in the transcript.
    pub last_assistant_message: Option<String>,
    /// How many tasks still run in the background.
    pub background_tasks: usize,
}

impl Event {
    /// The client's name of the event, which an answer must repeat.
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
