//! An event: one line of `xc -p --output-format stream-json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::{CallLevel, CallStatus, CommandRun, FailureClass, PermitMode};
use super::result::End;
use crate::id::SessionId;
use crate::word::words;

/// The version of the events' format.
const FORMAT: &str = "xc-event/1";

/// An event of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session.
    pub session: SessionId,
    /// Its sequence number, from 0, without gaps.
    pub seq: u64,
    /// Its time, RFC 3339 in UTC.
    pub at: String,
    /// Its content.
    pub what: What,
}

/// The content of an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum What {
    /// The session starts or is resumed. The first event.
    Start {
        /// The version of the program.
        version: String,
        /// The model, as `provider:model`.
        model: String,
        /// The root of the workspace.
        cwd: String,
        /// The permission mode.
        mode: PermitMode,
        /// What confines shell commands.
        sandbox: Sandboxed,
        /// The tools that the model is offered.
        tools: Vec<String>,
    },
    /// A prompt was accepted.
    Prompt {
        /// The prompt as sent, masked.
        text: String,
    },
    /// Code was found for the prompt.
    Context {
        /// Number of code locations sent with the prompt.
        items: u64,
        /// Restrictions, one line each.
        limits: Vec<String>,
    },
    /// A piece of the answer.
    Text {
        /// The new text.
        delta: String,
    },
    /// A piece of the reasoning that the model shows.
    Reasoning {
        /// The new text.
        delta: String,
    },
    /// The model calls a tool.
    Call {
        /// The call's id, used in its other events.
        id: String,
        /// The tool's name.
        tool: String,
        /// The arguments, masked.
        input: Value,
    },
    /// The verdict on a call.
    Permission {
        /// The call's id.
        id: String,
        /// The decision.
        verdict: Verdict,
        /// How dangerous the call is.
        level: CallLevel,
        /// The rule that decided, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Who decided.
        by: DecidedBy,
    },
    /// Output of a command.
    Output {
        /// The call's id.
        id: String,
        /// The output stream.
        stream: Stream,
        /// The output, cleaned and masked.
        text: String,
    },
    /// A call has ended.
    Result {
        /// The call's id.
        id: String,
        /// How it ended.
        status: CallStatus,
        /// Number of characters that the model gets.
        chars: u64,
        /// Whether the result was truncated.
        truncated: bool,
    },
    /// Usage of the last model request.
    Usage {
        /// Input tokens, cached ones included.
        input: u64,
        /// Input tokens from the provider's cache.
        cached: u64,
        /// Output tokens, reasoning included.
        output: u64,
        /// Estimated cost in US dollars; absent if the model's price is unknown.
        cost_usd: Option<f64>,
    },
    /// A model request is retried.
    Retry {
        /// The failure.
        class: FailureClass,
        /// Delay before the retry, in milliseconds.
        after_ms: u64,
        /// Number of the next attempt.
        attempt: u64,
    },
    /// Earlier messages were replaced by a summary.
    Compacted {
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
    },
    /// The model was switched.
    Model {
        /// The previous model.
        from: String,
        /// The new model.
        to: String,
        /// The reason as text.
        why: String,
    },
    /// The state of plan mode changed.
    Plan {
        /// The new state.
        state: PlanState,
    },
    /// A notice for the user.
    Note {
        /// One line of text.
        text: String,
    },
    /// A model request failed and is not retried.
    Failure {
        /// The failure.
        class: FailureClass,
        /// A one-line message, masked.
        message: String,
    },
    /// What a turn did, as observed by the program.
    Evidence {
        /// Files that were changed, relative to the workspace.
        changed: Vec<String>,
        /// Commands that ran, in order.
        commands: Vec<CommandRun>,
        /// Whether tests ran, and how the last run of them ended.
        tests: TestsRun,
    },
    /// The run has ended. The last event, always one.
    End(End),
}

words! {
    /// What confines shell commands.
    Sandboxed {
        /// Landlock, and a mount namespace that hides protected paths.
        LandlockAndMounts = "landlock+mounts",
        /// Landlock.
        Landlock = "landlock",
        /// Nothing.
        None = "none",
    }
}

words! {
    /// The decision about a call.
    Verdict {
        /// It runs.
        Allow = "allow",
        /// The user is asked.
        Ask = "ask",
        /// It is denied.
        Deny = "deny",
    }
}

words! {
    /// Who decided about a call.
    DecidedBy {
        /// A rule of the gate or of the configuration.
        Rule = "rule",
        /// The user, when asked.
        User = "user",
        /// The user, for the rest of the session.
        Grant = "grant",
        /// `--trust`.
        Trust = "trust",
        /// There is no user to ask.
        Headless = "headless",
        /// Plan mode.
        Plan = "plan",
        /// The manifest of the court.
        Manifest = "manifest",
    }
}

words! {
    /// An output stream of a command.
    Stream {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

words! {
    /// States of plan mode.
    PlanState {
        /// It was entered.
        Entered = "entered",
        /// A plan was proposed to the user.
        Proposed = "proposed",
        /// The user approved the plan.
        Approved = "approved",
        /// The user rejected the plan.
        Rejected = "rejected",
        /// It was left.
        Left = "left",
    }
}

words! {
    /// Whether tests ran in a turn.
    TestsRun {
        /// The last test run passed.
        Passed = "passed",
        /// The last test run failed.
        Failed = "failed",
        /// Tests ran, but the exit code of the command is not theirs, as in `cargo test | tail`.
        Unclear = "unclear",
        /// No tests ran.
        NotRun = "not_run",
    }
}

/// The fields before [`What`].
#[derive(Deserialize)]
struct Head {
    session: SessionId,
    seq: u64,
    at: String,
}

impl Event {
    /// Parses a line.
    ///
    /// # Errors
    /// The line is not an event.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        let Head { session, seq, at } = serde_json::from_str(line)?;
        Ok(Self { session, seq, at, what: serde_json::from_str(line)? })
    }
}

impl Serialize for Event {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'e> {
            schema: &'static str,
            session: SessionId,
            seq: u64,
            at: &'e str,
            #[serde(flatten)]
            what: &'e What,
        }
        let Self { session, seq, at, what } = self;
        Line { schema: FORMAT, session: *session, seq: *seq, at, what }.serialize(serializer)
    }
}
