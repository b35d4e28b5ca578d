//! What one attempt is given, what it reports, and how it ends. No behaviour.

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

/// The Codex that is driven: found and probed once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// The native executable, from [`crate::locate::locate`].
    pub binary: PathBuf,
    /// Its version, from [`crate::version::probe`].
    pub version: Version,
}

/// One process of Codex to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Which thread the turn belongs to.
    pub conversation: Conversation,
    /// The whole prompt; goes over stdin.
    pub prompt: String,
    /// The model, where the caller chose one; otherwise the home's or Codex's own.
    pub model: Option<String>,
    /// How hard the model should think; otherwise the model's default.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// File with the strict JSON Schema of the answer; without one the answer is plain text.
    pub output_schema: Option<PathBuf>,
    /// What its commands may do.
    pub sandbox: SandboxMode,
    /// Where Codex stands; an empty folder unless it may read a workspace.
    pub workdir: PathBuf,
    /// TMPDIR of the process. The private home must not lie below it.
    pub temp_dir: PathBuf,
    /// Marks every process of the run, so that a later start can end what is left of it.
    pub run_id: RunId,
    /// When the attempt is to be over.
    pub deadline: Instant,
    /// How long the provider may say nothing, as far as that is known: see [`crate::pulse`].
    pub stall: Duration,
}

/// What happens during an attempt, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// The process runs.
    ProcessStarted {
        /// Its process id.
        pid: u32,
    },
    /// Codex named the conversation.
    ThreadStarted {
        /// Codex's id, for a later resume.
        thread_id: ThreadId,
    },
    /// The model is about to be asked.
    TurnStarted,
    /// The model's provider gave a sign of life, or is waited for. May come thousands of times a second.
    Sign(Sign),
    /// The model has written more. May come thousands of times a second.
    Written(Written),
    /// Something happened in the turn.
    Item {
        /// The item's type, such as `reasoning` or `agent_message`.
        kind: String,
        /// What it is about, such as the command that runs, unredacted.
        subject: Option<String>,
    },
    /// The model said this, and it is not the answer: the turn goes on.
    Message {
        /// The text, uncut and unredacted.
        text: String,
    },
    /// The provider told how much of the account's plan is used: its primary and its secondary window, where
    /// it told of them. By the app-server only.
    Plan([Option<PlanWindow>; 2]),
    /// Codex reports an error that it may yet get over.
    Reconnecting {
        /// Codex's words, unredacted.
        message: String,
    },
    /// The turn ended well; the process is about to exit.
    TurnCompleted,
}

/// How far a model has written, as its driver sees it: counts, a key of ours, and whole parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// Its answer.
    Answer {
        /// Characters so far.
        chars: u64,
        /// The key of the advice that is being written.
        key: Option<&'static str>,
    },
    /// Its reasoning, or the summary of it.
    Reasoning {
        /// Characters so far.
        chars: u64,
        /// Parts of the summary that are whole.
        parts: u64,
    },
    /// A part of the reasoning's summary, whole.
    Part {
        /// The text, unredacted.
        text: String,
    },
}

/// How an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptEnd {
    /// The answer, or why there is none.
    pub outcome: Result<Answer, AttemptFailure>,
    /// How Codex was driven.
    pub driver: DriverKind,
    /// Codex's id of the conversation, where it got so far.
    pub thread_id: Option<ThreadId>,
    /// Codex's id of the turn, where it names turns: its app-server does.
    pub turn_id: Option<TurnId>,
    /// Tokens of the whole thread so far, a fork's ancestors included; see [`Usage::since`].
    pub usage_total: Option<Usage>,
    /// Whether the thread can be resumed, as far as Codex said.
    pub transcript_saved: bool,
    /// What Codex warned of, each once, unredacted.
    pub warnings: Vec<String>,
    /// How far the turn came.
    pub reach: Reach,
    /// From the spawn to Codex's first line.
    pub first_event: Option<Duration>,
    /// Records of Codex's log that told of its liveness; see [`crate::pulse`].
    pub log_records: u64,
    /// From the spawn to the end.
    pub duration: Duration,
    /// How the process ended; `None` when it was never started.
    pub exit: Option<Exit>,
    /// How hard the process had to be pushed; `None` when it ended by itself.
    pub signal: Option<SignalSent>,
    /// How much Codex printed on stdout.
    pub stdout_bytes: u64,
    /// Lines of stdout that were no event, or too long to be read.
    pub skipped_lines: u64,
    /// Requests of Codex, for an approval or an input; none may happen, and all were refused.
    pub refused_requests: u64,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The last message of the completed turn; never blank. Not checked against any schema.
    pub text: String,
}

/// Why an attempt has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptFailure {
    /// The exact cause.
    pub code: FailureCode,
    /// For people: what happened and what to do. Holds nothing that Codex said.
    pub message: String,
    /// What Codex said: unredacted, bounded, perhaps empty.
    pub raw: String,
    /// Whether another attempt of the same run makes sense.
    pub retry: Retry,
}

impl AttemptFailure {
    /// Whether the same request may succeed later. Wider than the code's own answer: a model at
    /// capacity comes back, a model that does not exist does not.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        self.code.is_retryable() || self.retry != Retry::Never
    }
}

/// What another attempt of the same run would need. Whether there is one is the caller's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It would fail in the same way.
    Never,
    /// In a thread that does not hold this prompt yet: a fresh one or a fork.
    Now,
    /// As [`Retry::Now`], after this delay.
    After(Duration),
    /// In this very thread: the turn completed, only its answer is unusable.
    Repair,
}
