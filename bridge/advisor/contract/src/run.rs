//! Runs and sessions as the history routes show them.

use serde::{Deserialize, Serialize};

use crate::failure::FailureCode;
use crate::id::{RunId, SessionId, ThreadId};
use crate::phase::Phase;
use crate::word::words;
use crate::workspace::Workspace;

words! {
    /// The state of a run.
    RunState {
        /// Accepted, waiting for a worker.
        Queued = "queued",
        /// Codex is working.
        Running = "running",
        /// Ended with advice, or with a turn's answer.
        Succeeded = "succeeded",
        /// Ended with a failure.
        Failed = "failed",
        /// Cancelled by the caller, or because the caller disconnected.
        Cancelled = "cancelled",
        /// The daemon crashed while the run was queued or running.
        Interrupted = "interrupted",
    }
}

impl RunState {
    /// Whether the state is final.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

words! {
    /// The kind of a run.
    #[derive(Default)]
    RunKind {
        /// Advice: `POST /analyze`.
        #[default]
        Analyze = "analyze",
        /// A turn of the user's own Codex: `POST /orchestrate`. It has its own session with this one
        /// round.
        Orchestrate = "orchestrate",
    }
}

impl RunKind {
    /// Whether it is the default kind.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::Analyze
    }
}

/// The response of `POST /analyze` with `Prefer: respond-async`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// The run's id, to fetch its result.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Its current state.
    pub state: RunState,
}

/// Maximum length of a headline in characters.
const HEADLINE_MAX_CHARS: usize = 200;

/// The headline of a problem or a prompt in the history: its first line.
#[must_use]
pub fn headline(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(HEADLINE_MAX_CHARS).collect()
}

/// A run in the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSummary {
    /// The run's id.
    pub run_id: RunId,
    /// The session that the run belongs to.
    pub session_id: SessionId,
    /// Its kind.
    #[serde(default, skip_serializing_if = "RunKind::is_usual")]
    pub kind: RunKind,
    /// The project that the request came from; absent if the caller named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// Its round, 1 or 2.
    pub round: u8,
    /// Its phase.
    pub phase: Phase,
    /// Its state.
    pub state: RunState,
    /// The failure's code, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FailureCode>,
    /// When it was accepted, RFC 3339 in UTC.
    pub created_at: String,
    /// When it ended, RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// From acceptance to the end, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// The first line of the problem or the prompt, redacted; absent if bodies are not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

words! {
    /// The stage of a model's work.
    ModelStage {
        /// Its answer has not begun.
        Waiting = "waiting",
        /// It is reasoning.
        Thinking = "thinking",
        /// It is writing its answer.
        Writing = "writing",
        /// No text has arrived for ten seconds.
        Quiet = "quiet",
    }
}

/// Progress of a run's model: types and times of its provider's events; of their text only the first
/// line of a completed thought, masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProgress {
    /// Its stage.
    pub stage: ModelStage,
    /// Number of events of its provider in this attempt so far.
    pub events: u64,
    /// Time since the turn began, in milliseconds.
    pub elapsed_ms: u64,
    /// Time since the provider's last event, in milliseconds; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_ms: Option<u64>,
    /// Characters of its reasoning or, while it writes, of its answer, if the driver sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u64>,
    /// The key of the advice that is being written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The first line of the last completed part of its reasoning, masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// One run in full: its summary, and its outcome after it has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The run as in the history.
    pub run: RunSummary,
    /// The model's progress; absent before the request is sent, while Codex itself works, after the end,
    /// and if Codex's log does not show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
    /// The report or the failure as sent to the caller; absent while the run continues, and
    /// if bodies are not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<serde_json::Value>,
}

/// A page of the history, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPage {
    /// The runs of this page.
    pub runs: Vec<RunSummary>,
    /// Pass it as `before` to get the next page; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_before: Option<RunId>,
}

/// A session as `GET /sessions/{id}` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The session's id.
    pub session_id: SessionId,
    /// Number of rounds answered with advice: 0 to 2.
    pub rounds_used: u8,
    /// Number of rounds left: 0 to 2.
    pub rounds_left: u8,
    /// Codex's thread, once it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// When it was opened, RFC 3339 in UTC.
    pub created_at: String,
    /// When it expires, RFC 3339 in UTC.
    pub expires_at: String,
    /// Its runs, oldest first.
    pub runs: Vec<RunSummary>,
}
