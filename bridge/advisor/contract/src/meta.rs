//! What the bridge did for a run: the `meta` of a report and of a failure.

use serde::{Deserialize, Serialize};

use crate::id::{RunId, SessionId, ThreadId};
use crate::phase::Phase;

/// What the bridge did for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// This run.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// 1 or 2.
    pub round: u8,
    /// How many rounds the session still has: 0 or 1.
    pub rounds_left: u8,
    /// The phase that was asked for.
    pub phase: Phase,
    /// Codex processes started: 1 or 2 (0 when a run failed before the first).
    pub attempts: u8,
    /// From acceptance to the end, in milliseconds.
    pub duration_ms: u64,
    /// Spent waiting for a worker, in milliseconds.
    pub queue_ms: u64,
    /// Which Codex answered.
    pub codex: CodexMeta,
    /// This run's own tokens; absent when no turn was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What is weaker than asked, one sentence each.
    pub limits: Vec<String>,
    /// What was masked before the question left, by kind.
    pub redactions: Vec<RedactionCount>,
}

/// Which Codex answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodexMeta {
    /// Such as `0.169.0`; absent when Codex was never reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model, where one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Codex's own id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// How Codex was driven; absent when it was never reached.
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
    /// The word for it, as in `codex.driver`.
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
    /// Tokens sent.
    pub input_tokens: u64,
    /// Of those, served from the provider's cache.
    pub cached_input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Of those, spent on reasoning.
    pub reasoning_output_tokens: u64,
}

impl Usage {
    /// What both cost.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            cached_input_tokens: self.cached_input_tokens + other.cached_input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            reasoning_output_tokens: self.reasoning_output_tokens + other.reasoning_output_tokens,
        }
    }

    /// What was spent after `before`. Codex reports the total of a whole thread (codex 0.169), so
    /// this turns two totals of one thread into the tokens of what lies between them.
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

/// How many secrets of a kind were masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionCount {
    /// The kind, such as `aws_access_key_id`.
    pub kind: String,
    /// How many times.
    pub count: u32,
}
