//! Input, progress and result of one attempt. Types only.

use std::path::PathBuf;
use std::time::Duration;

use contract::advice::{DriverKind, Usage};
use contract::failure::FailureCode;
use contract::id::{RunId, ThreadId, TurnId};
use contract::input::ReasoningEffort;
use supervise::{Exit, SignalSent};
use tokio::time::Instant;

use crate::invocation::{Conversation, SandboxMode};
use crate::plan::PlanWindow;
use crate::pulse::Sign;
use crate::turn::Reach;
use crate::version::Version;

/// The Codex installation, located and probed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The native executable, from [`crate::locate::locate`].
    pub binary: PathBuf,
    /// Its version, from [`crate::version::probe`].
    pub version: Version,
}

/// Input of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The conversation of the turn.
    pub conversation: Conversation,
    /// The whole prompt; sent over stdin.
    pub prompt: String,
    /// The model, if the caller chose one; otherwise the home's or Codex's own.
    pub model: Option<String>,
    /// Reasoning effort; if absent, the model's default.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// File with the strict JSON Schema of the answer; without one the answer is plain text.
    pub output_schema: Option<PathBuf>,
    /// Sandbox of its commands.
    pub sandbox: SandboxMode,
    /// Codex's working folder; empty unless it may read a workspace.
    pub workdir: PathBuf,
    /// TMPDIR of the process. The private home must not lie below it.
    pub temp_dir: PathBuf,
    /// Marks every process of the run, so that a later daemon can end leftover ones.
    pub run_id: RunId,
    /// Deadline of the attempt.
    pub deadline: Instant,
    /// Maximum silence of the provider, as far as it can be observed: see [`crate::pulse`].
    pub stall: Duration,
}

/// Progress of an attempt, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The process has started.
    ProcessStarted {
        /// Its process id.
        pid: u32,
    },
    /// Codex reported the thread.
    ThreadStarted {
        /// Codex's id, for a later resume.
        thread_id: ThreadId,
    },
    /// The request is about to be sent to the model.
    TurnStarted,
    /// The model's provider gave a sign of life, or a response is awaited. May come thousands of times a second.
    Sign(Sign),
    /// The model has written more. May come thousands of times a second.
    Written(Written),
    /// An item of the turn started, changed or ended.
    Item {
        /// The item's type, such as `reasoning` or `agent_message`.
        kind: String,
        /// Its subject, such as the command that runs, unredacted.
        subject: Option<String>,
    },
    /// A message of the model that is not the answer: the turn continues.
    Message {
        /// The text, in full and unredacted.
        text: String,
    },
    /// The provider reported how much of the account's plan is used: its primary and its secondary window, if
    /// reported. By the app-server only.
    Plan([Option<PlanWindow>; 2]),
    /// Codex reported an error from which it may recover.
    Reconnecting {
        /// Codex's message, unredacted.
        message: String,
    },
    /// The turn succeeded; the process is about to exit.
    TurnCompleted,
}

/// How far a model has written, as seen by the driver: counts, a known key, and complete parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// Its answer.
    Answer {
        /// Characters so far.
        chars: u64,
        /// The key of the advice being written.
        key: Option<&'static str>,
    },
    /// Its reasoning, or the summary of it.
    Reasoning {
        /// Characters so far.
        chars: u64,
        /// Completed parts of the summary.
        parts: u64,
    },
    /// A completed part of the reasoning's summary.
    Part {
        /// The text, unredacted.
        text: String,
    },
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    /// The answer, or the failure.
    pub outcome: Result<Answer, AttemptFailure>,
    /// How Codex was driven.
    pub driver: DriverKind,
    /// Codex's id of the thread, if it was reported.
    pub thread_id: Option<ThreadId>,
    /// Codex's id of the turn; only the app-server reports it.
    pub turn_id: Option<TurnId>,
    /// Tokens of the whole thread so far, a fork's ancestors included; see [`Usage::since`].
    pub usage_total: Option<Usage>,
    /// Whether the thread can be resumed, as far as Codex reported.
    pub transcript_saved: bool,
    /// Codex's warnings without duplicates, unredacted.
    pub warnings: Vec<String>,
    /// How far the turn got.
    pub reach: Reach,
    /// Time from the spawn to Codex's first line.
    pub first_event: Option<Duration>,
    /// Number of log records that showed signs of life; see [`crate::pulse`].
    pub log_records: u64,
    /// Time from the spawn to the end.
    pub duration: Duration,
    /// How the process ended; `None` if it was never started.
    pub exit: Option<Exit>,
    /// The strongest signal sent to the process; `None` if it ended by itself.
    pub signal: Option<SignalSent>,
    /// Number of bytes that Codex printed on stdout.
    pub stdout_bytes: u64,
    /// Number of stdout lines that were not events, or too long.
    pub skipped_lines: u64,
    /// Number of requests by Codex for an approval or an input; none is expected, and all were refused.
    pub refused_requests: u64,
}

/// The model's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The last message of the completed turn; never blank. Not validated against any schema.
    pub text: String,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptFailure {
    /// The exact cause.
    pub code: FailureCode,
    /// Message for people: what happened and what to do. Contains no text from Codex.
    pub message: String,
    /// Codex's text: unredacted, truncated, may be empty.
    pub raw: String,
    /// Whether another attempt of the same run makes sense.
    pub retry: Retry,
}

impl AttemptFailure {
    /// Whether the same request may succeed later. Wider than the code's own value: a model at
    /// capacity becomes available again, a model that does not exist does not.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.code.is_retryable() || self.retry != Retry::Never
    }
}

/// What another attempt of the same run would need. The caller decides whether to make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It would fail the same way.
    Never,
    /// In a thread that does not contain this prompt yet: a new one or a fork.
    Now,
    /// As [`Retry::Now`], after this delay.
    After(Duration),
    /// In this thread: the turn completed, only its answer is unusable.
    Repair,
}
