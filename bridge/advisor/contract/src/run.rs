//! Runs and sessions as the history routes show them.

use serde::{Deserialize, Serialize};

use crate::failure::FailureCode;
use crate::id::{RunId, SessionId, ThreadId};
use crate::phase::Phase;
use crate::word::words;
use crate::workspace::Workspace;

words! {
    /// Where a run is.
    RunState {
        /// Accepted, waiting for a worker.
        Queued = "queued",
        /// Codex is at work.
        Running = "running",
        /// Ended with advice, or with a turn's answer.
        Succeeded = "succeeded",
        /// Ended with a failure.
        Failed = "failed",
        /// Ended because the caller said so or went away.
        Cancelled = "cancelled",
        /// The daemon died while the run was queued or running.
        Interrupted = "interrupted",
    }
}

impl RunState {
    /// Whether nothing more will happen.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }
}

words! {
    /// What a run was asked for.
    #[derive(Default)]
    RunKind {
        /// Advice: `POST /analyze`.
        #[default]
        Analyze = "analyze",
        /// A turn of the user's own Codex: `POST /orchestrate`. It has a session of its own, in which
        /// it is the one round.
        Orchestrate = "orchestrate",
    }
}

impl RunKind {
    /// Whether it is what runs are where nothing else is said.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::Analyze
    }
}

/// What `POST /analyze` answers under `Prefer: respond-async`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// The run to ask for.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// Its state at this moment.
    pub state: RunState,
}

/// Characters of the first line of a problem or a prompt that the history shows.
const HEADLINE_MAX_CHARS: usize = 200;

/// What the history shows of a problem or a prompt.
#[must_use]
pub fn headline(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(HEADLINE_MAX_CHARS).collect()
}

/// One line of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSummary {
    /// Names the run.
    pub run_id: RunId,
    /// The session that the run belongs to.
    pub session_id: SessionId,
    /// What was asked for.
    #[serde(default, skip_serializing_if = "RunKind::is_usual")]
    pub kind: RunKind,
    /// The project that asked; absent where the caller named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Workspace>,
    /// 1 or 2.
    pub round: u8,
    /// The phase that was asked for.
    pub phase: Phase,
    /// Where it is.
    pub state: RunState,
    /// The failure's code, where it failed.
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
    /// The first line of the problem or the prompt, redacted; absent where bodies are not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

words! {
    /// What a model does that was asked.
    ModelStage {
        /// Its answer has not begun.
        Waiting = "waiting",
        /// It thinks.
        Thinking = "thinking",
        /// It writes its answer.
        Writing = "writing",
        /// No text has come for ten seconds.
        Quiet = "quiet",
    }
}

/// How the model of a run goes on: what kinds of events came and when; of what they said only the first
/// line of a finished thought, masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunProgress {
    /// What it does.
    pub stage: ModelStage,
    /// Events of its provider in this attempt so far.
    pub events: u64,
    /// Since the turn began, in milliseconds.
    pub elapsed_ms: u64,
    /// Since the provider's last event, in milliseconds; absent before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_ms: Option<u64>,
    /// Characters of its reasoning while it thinks, else of its answer, where the driver sees them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chars: Option<u64>,
    /// The key of the advice that is being written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The first line of the last whole part of its reasoning, masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// One run in full: its summary, and its outcome once there is one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The history's line.
    pub run: RunSummary,
    /// How its model goes on; absent before it is asked, while Codex itself is at work, after the end,
    /// and where Codex's log does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<RunProgress>,
    /// The report or the failure exactly as the caller got it; absent while the run goes on, and
    /// where bodies are not kept.
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
    /// Names the session.
    pub session_id: SessionId,
    /// Rounds that were answered with advice: 0 to 2.
    pub rounds_used: u8,
    /// Rounds that are left: 0 to 2.
    pub rounds_left: u8,
    /// Codex's conversation, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// When it was opened, RFC 3339 in UTC.
    pub created_at: String,
    /// After this it is refused, RFC 3339 in UTC.
    pub expires_at: String,
    /// Its runs, oldest first.
    pub runs: Vec<RunSummary>,
}
