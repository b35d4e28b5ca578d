//! What goes into the store and what comes out of it, apart from the wire types of `contract`.

use std::path::PathBuf;
use std::time::Duration;

use contract::advice::{Advice, Usage};
use contract::event::{Event, EventName};
use contract::failure::FailureCode;
use contract::id::{RunId, SessionId, ThreadId, TurnId};
use contract::input::AdvisorInput;
use contract::key::IdempotencyKey;
use contract::run::{RunKind, RunState, RunSummary};
use contract::workspace::Workspace;

use crate::request::{AckMode, Request};
use crate::session::{Refusal, Round};

/// What the operator chose.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a session may be continued after it was opened.
    pub session_ttl: Duration,
    /// How long runs, events, idempotency keys and used-up sessions are kept.
    pub retention: Duration,
    /// Whether questions and answers are kept, or only the facts about them.
    pub bodies: bool,
}

/// What the start found of the past.
#[derive(Debug)]
pub struct Recovery {
    /// Runs that were in flight when the last daemon died. They are `interrupted` now.
    pub interrupted: Vec<RunId>,
    /// The database that could not be used, set aside; a new one was begun.
    pub quarantined: Option<Quarantined>,
}

/// A database that was set aside.
#[derive(Debug)]
pub struct Quarantined {
    /// Where it lies now, with its `-wal` and `-shm` beside it.
    pub path: PathBuf,
    /// What is wrong with it.
    pub damage: Damage,
}

/// Why a database cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// SQLite cannot read it.
    #[error("it is not a readable database")]
    Unreadable(#[source] rusqlite::Error),
    /// SQLite's own check found a fault.
    #[error("its integrity check says: {0}")]
    Inconsistent(String),
    /// It was written by a newer codex-bridge, in a form that this one must not write.
    #[error(
        "its schema is version {found}, and this codex-bridge knows up to {known}; the newer one can use it again"
    )]
    NewerVersion {
        /// The version in the file.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// It is a database, but not ours.
    #[error("it is another program's database")]
    Foreign,
    /// It is shorter than any database.
    #[error("it has {bytes} bytes, and no database is that short")]
    TooShort {
        /// Its length.
        bytes: u64,
    },
    /// Its log is there, but the database itself is gone or empty.
    #[error("it is empty, and a log without its database is left")]
    Headless,
}

/// A run to be accepted.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// The run's id, made by the caller.
    pub run_id: RunId,
    /// The request, already redacted. Its phase and session decide the round.
    pub request: Request,
    /// Hash of the body as it came, to tell a repetition from another question.
    pub body_hash: [u8; 32],
    /// The caller's name for the request.
    pub key: Option<IdempotencyKey>,
    /// When the caller learns of the run.
    pub ack_mode: AckMode,
    /// The project that asks.
    pub workspace: Option<Workspace>,
}

/// What became of a [`NewRun`].
#[derive(Debug, Clone, PartialEq)]
pub enum Accept {
    /// It is in the store, and its session is leased to it until it is finished.
    New(RunLease),
    /// The same request was accepted before, as this run.
    Replayed(RunId),
    /// It breaks a rule. Nothing was stored.
    Refused(Refusal),
}

/// An accepted run and the round it may play.
#[derive(Debug, Clone, PartialEq)]
pub struct RunLease {
    /// The run that was accepted.
    pub run_id: RunId,
    /// Its session, opened now or continued.
    pub session_id: SessionId,
    /// Which round of its session it is.
    pub round: Round,
    /// What the session has before this round; absent in its first.
    pub previous: Option<Box<PreviousRound>>,
}

/// The round before, as far as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousRound {
    /// Codex's conversation; absent where none was reported.
    pub thread: Option<Thread>,
    /// Earlier runs of the round that begins now which reached Codex and ended without advice.
    /// Each may have left its prompt in the thread, so a thread with one is forked, not resumed.
    pub failed_tries: u32,
    /// The question, redacted; absent where bodies are not kept.
    pub question: Option<AdvisorInput>,
    /// The answer; absent where bodies are not kept.
    pub advice: Option<Advice>,
}

/// A conversation of Codex's after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Codex's id of it.
    pub id: ThreadId,
    /// Whether it can be continued.
    pub transcript: Transcript,
    /// Tokens of the whole thread so far; absent where no turn reported them.
    pub usage_total: Option<Usage>,
    /// Its last completed turn; absent where Codex did not name it.
    pub last_turn: Option<TurnId>,
}

/// Whether Codex could save a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transcript {
    /// It can be resumed or forked.
    Saved,
    /// It is gone with its process.
    Lost,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// With advice or without.
    pub ending: Ending,
    /// The body exactly as the caller gets it.
    pub outcome: serde_json::Value,
    /// Codex's conversation, where there was one.
    pub thread: Option<Thread>,
    /// From acceptance to the end.
    pub duration: Duration,
    /// What it cost and how it went; kept also where bodies are not.
    pub facts: RunFacts,
}

/// What a run cost and how it went. Times count from its acceptance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// Its tokens; absent where no turn was completed.
    pub usage: Option<Usage>,
    /// The model, where one was chosen.
    pub model: Option<String>,
    /// How Codex was driven; absent where it was not reached.
    pub driver: Option<String>,
    /// Codex processes started.
    pub attempts: Option<u8>,
    /// Spent waiting for a worker, in milliseconds.
    pub queue_ms: Option<u64>,
    /// When the first event of the model's provider came, in milliseconds.
    pub first_event_ms: Option<u64>,
}

/// A run in a list of the pages.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its line.
    pub run: RunSummary,
    /// When it was accepted, in milliseconds since 1970.
    pub created_ms: i64,
    /// What it cost.
    pub facts: RunFacts,
}

/// A run with its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct RunText {
    /// As in a list.
    pub row: RunRow,
    /// The request as JSON; absent where bodies are not kept.
    pub question: Option<String>,
    /// The body that the caller got; absent where bodies are not kept.
    pub outcome: Option<serde_json::Value>,
}

/// Which runs a page lists, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunSearch {
    /// Only runs with this text in question or outcome; empty for all. Letters of ASCII are found in
    /// either case.
    pub text: String,
    /// Only runs of this kind.
    pub kind: Option<RunKind>,
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// Only runs that failed with this code.
    pub code: Option<FailureCode>,
    /// Only runs with this model.
    pub model: Option<String>,
    /// Only runs accepted at this time or later, in milliseconds since 1970.
    pub from_ms: Option<i64>,
    /// Only runs accepted before this time.
    pub before_ms: Option<i64>,
    /// Leaves out so many.
    pub skip: u32,
    /// At most this many.
    pub limit: u32,
}

/// A page of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFound {
    /// The runs of the page.
    pub rows: Vec<RunRow>,
    /// How many runs the search finds in all; not counted where a text is sought.
    pub total: Option<u64>,
    /// Whether there is another page.
    pub has_next: bool,
}

/// What one run cost, for sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// When it was accepted, in milliseconds since 1970.
    pub created_ms: i64,
    /// How it ended.
    pub state: RunState,
    /// The failure's code.
    pub code: Option<FailureCode>,
    /// The model.
    pub model: Option<String>,
    /// From acceptance to the end, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Spent waiting for a worker, in milliseconds.
    pub queue_ms: Option<u64>,
    /// From acceptance to the provider's first event, in milliseconds.
    pub first_event_ms: Option<u64>,
    /// Its tokens.
    pub usage: Option<Usage>,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With advice: the round is used.
    Advice,
    /// Without: the round can be asked again.
    Failure(FailureCode),
}

impl Ending {
    /// The state of a run that ended so.
    #[must_use]
    pub fn state(self) -> RunState {
        match self {
            Self::Advice => RunState::Succeeded,
            Self::Failure(FailureCode::Cancelled) => RunState::Cancelled,
            Self::Failure(FailureCode::Interrupted) => RunState::Interrupted,
            Self::Failure(_) => RunState::Failed,
        }
    }

    /// The failure's code.
    #[must_use]
    pub fn code(self) -> Option<FailureCode> {
        match self {
            Self::Advice => None,
            Self::Failure(code) => Some(code),
        }
    }

    /// The last event of a run that ended so.
    #[must_use]
    pub fn event(self) -> EventName {
        match self {
            Self::Advice => EventName::Report,
            Self::Failure(_) => EventName::Failure,
        }
    }
}

/// The events of a run that its end brings along.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LastEvents {
    /// Events that may not be in the store yet.
    pub events: Vec<Event>,
    /// Position of the terminal event; the first free one when absent.
    pub end_seq: Option<u64>,
}

/// A stretch of a run's event log.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    /// The events, in order. The last one of an ended log is the terminal one.
    pub events: Vec<Event>,
    /// What comes after them.
    pub rest: EventRest,
}

/// What comes after a stretch of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRest {
    /// More is stored already.
    More,
    /// Nothing yet; the run is in flight.
    Open,
    /// Nothing ever.
    Ended,
}

/// What a purge removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    /// Runs, each with its events and its idempotency key.
    pub runs: usize,
    /// How many sessions.
    pub sessions: usize,
}
