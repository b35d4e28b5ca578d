//! Metadata of a run: the `meta` of a report and of a failure.

use serde::{Deserialize, Serialize};

use crate::id::{RunId, SessionId, ThreadId};
use crate::phase::Phase;

/// Metadata of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The run's id.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Its round, 1 or 2.
    pub round: u8,
    /// Number of rounds left in the session: 0 or 1.
    pub rounds_left: u8,
    /// The requested phase.
    pub phase: Phase,
    /// Codex processes started: 1 or 2 (0 if the run failed before the first).
    pub attempts: u8,
    /// From acceptance to the end, in milliseconds.
    pub duration_ms: u64,
    /// Time in the queue, in milliseconds.
    pub queue_ms: u64,
    /// The Codex that was used.
    pub codex: CodexMeta,
    /// This run's own tokens; absent if no turn was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Restrictions of the answer, one sentence each.
    pub limits: Vec<String>,
    /// Number of masked secrets in the question, by kind.
    pub redactions: Vec<RedactionCount>,
}

/// The Codex that was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodexMeta {
    /// Version, such as `0.169.0`; absent if no Codex was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model, if one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Codex's id of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// How Codex was driven; absent if no process was started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<DriverKind>,
}

/// How Codex is driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DriverKind {
    /// By `codex exec`.
    Exec,
    /// By `codex app-server`.
    AppServer,
}

impl DriverKind {
    /// The value used in `codex.driver`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exec => "exec",
            Self::AppServer => "app-server",
        }
    }
}

/// Tokens of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Input tokens that were served from the provider's cache.
    pub cached_input_tokens: u64,
    /// Output tokens, reasoning included.
    pub output_tokens: u64,
    /// Output tokens spent on reasoning.
    pub reasoning_output_tokens: u64,
}

impl Usage {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            cached_input_tokens: self.cached_input_tokens + other.cached_input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            reasoning_output_tokens: self.reasoning_output_tokens + other.reasoning_output_tokens,
        }
    }

    /// The tokens spent after `before`. Codex reports the total of a whole thread (codex 0.169), so
    /// this is the difference of two totals of one thread.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            cached_input_tokens: self
                .cached_input_tokens
                .saturating_sub(before.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            reasoning_output_tokens: self
                .reasoning_output_tokens
                .saturating_sub(before.reasoning_output_tokens),
        }
    }
}

/// Number of masked secrets of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionCount {
    /// The kind, such as `aws_access_key_id`.
    pub kind: String,
    /// The number.
    pub count: u32,
}
