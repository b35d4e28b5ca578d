//! An event: one line of `xc -p --output-format stream-json`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::part::{CallLevel, CallStatus, CommandRun, FailureClass, PermitMode};
use super::result::End;
use crate::id::SessionId;
use crate::word::words;

/// The version of the events' format.
const FORMAT: &str = "xc-event/1";

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The session.
    pub session: SessionId,
    /// Its number, from 0, without a gap.
    pub seq: u64,
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum What {
    /// The session begins or goes on. The first event.
    Start {
        /// The version of the program.
        version: String,
        /// The model, as `provider:model`.
        model: String,
        /// The root of the workspace.
        cwd: String,
        /// How calls are judged.
        mode: PermitMode,
        /// What confines shell commands.
        sandbox: Sandboxed,
        /// The tools that the model is offered.
        tools: Vec<String>,
    },
    /// A prompt is worked on.
    Prompt {
        /// The prompt as it is sent, masked.
        text: String,
    },
    /// Code was found for the prompt.
    Context {
        /// How many places of code go with the prompt.
        items: u64,
        /// What is less than it should be, a line each.
        limits: Vec<String>,
    },
    /// More of the answer.
    Text {
        /// What is new.
        delta: String,
    },
    /// More of what the model shows of its thinking.
    Reasoning {
        /// What is new.
        delta: String,
    },
    /// The model asks for a tool.
    Call {
        /// The call; its other events name it.
        id: String,
        /// The tool.
        tool: String,
        /// The arguments, masked.
        input: Value,
    },
    /// The verdict on a call.
    Permission {
        /// The call.
        id: String,
        /// What was decided.
        verdict: Verdict,
        /// How dangerous the call is.
        level: CallLevel,
        /// The rule that decided, where one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Who decided.
        by: DecidedBy,
    },
    /// A command prints.
    Output {
        /// The call.
        id: String,
        /// Where it prints.
        stream: Stream,
        /// What it prints, cleaned and masked.
        text: String,
    },
    /// A call has ended.
    Result {
        /// The call.
        id: String,
        /// How.
        status: CallStatus,
        /// How many characters the model sees of it.
        chars: u64,
        /// Whether something was left out.
        truncated: bool,
    },
    /// What the last model call took.
    Usage {
        /// Tokens that were sent, cached ones included.
        input: u64,
        /// Of these, what the provider had in its cache.
        cached: u64,
        /// Tokens that came back, reasoning included.
        output: u64,
        /// Estimated cost in US dollars; none where the model's price is not known.
        cost_usd: Option<f64>,
    },
    /// A model call is tried again.
    Retry {
        /// What failed.
        class: FailureClass,
        /// How long is waited before it, in milliseconds.
        after_ms: u64,
        /// The number of the attempt that follows.
        attempt: u64,
    },
    /// What was said before is replaced by a summary.
    Compacted {
        /// Estimated tokens before.
        before: u64,
        /// Estimated tokens after.
        after: u64,
    },
    /// Another model goes on.
    Model {
        /// The model until now.
        from: String,
        /// The model from now on.
        to: String,
        /// Why, in words.
        why: String,
    },
    /// Plan mode changes.
    Plan {
        /// How.
        state: PlanState,
    },
    /// Something that the user should know.
    Note {
        /// A line.
        text: String,
    },
    /// A model call has failed and is not tried again.
    Failure {
        /// What failed.
        class: FailureClass,
        /// What happened, in a line, masked.
        message: String,
    },
    /// What a turn did, as the program saw it.
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
    /// What was decided about a call.
    Verdict {
        /// It runs.
        Allow = "allow",
        /// It waits for an answer.
        Ask = "ask",
        /// It does not run.
        Deny = "deny",
    }
}

words! {
    /// Who decided about a call.
    DecidedBy {
        /// A rule of the gate or of the configuration.
        Rule = "rule",
        /// The user, asked just now.
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
    /// Where a command prints.
    Stream {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

words! {
    /// How plan mode changes.
    PlanState {
        /// It begins.
        Entered = "entered",
        /// A plan is put before the user.
        Proposed = "proposed",
        /// The user says yes.
        Approved = "approved",
        /// The user says no.
        Rejected = "rejected",
        /// It ends.
        Left = "left",
    }
}

words! {
    /// Whether tests ran in a turn.
    TestsRun {
        /// The last run of them passed.
        Passed = "passed",
        /// The last run of them failed.
        Failed = "failed",
        /// They ran, but the exit code of the command is not theirs, as in `cargo test | tail`.
        Unclear = "unclear",
        /// None ran.
        NotRun = "not_run",
    }
}

/// What stands in front of [`What`].
#[derive(Deserialize)]
struct Head {
    session: SessionId,
    seq: u64,
    at: String,
}

impl Event {
    /// Reads a line.
    ///
    /// # Errors
    /// When it is no event.
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
