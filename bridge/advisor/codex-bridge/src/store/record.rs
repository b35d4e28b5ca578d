//! Input and output types of the store, besides the wire types of `contract`.

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

/// The operator's settings of the store.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long a session can be continued after it was opened.
    pub session_ttl: Duration,
    /// How long runs, events, idempotency keys and used-up sessions are stored.
    pub retention: Duration,
    /// Whether questions and answers are stored, or only metadata.
    pub bodies: bool,
}

/// What was recovered at the start.
#[derive(Debug)]
pub struct Recovery {
    /// Runs that were in flight when the last daemon died, now marked as `interrupted`.
    pub interrupted: Vec<RunId>,
    /// The unusable database, which was set aside; a new one was created.
    pub quarantined: Option<Quarantined>,
}

/// A database that was set aside.
#[derive(Debug)]
pub struct Quarantined {
    /// Its new path, with its `-wal` and `-shm` beside it.
    pub path: PathBuf,
    /// Why it is unusable.
    pub damage: Damage,
}

/// Why a database is unusable.
#[derive(Debug, thiserror::Error)]
pub enum Damage {
    /// SQLite cannot read it.
    #[error("it is not a readable database")]
    Unreadable(#[source] rusqlite::Error),
    /// SQLite's integrity check found a fault.
    #[error("its integrity check says: {0}")]
    Inconsistent(String),
    /// It was written by a newer codex-bridge, in a schema that this one must not write.
    #[error(
        "its schema is version {found}, and this codex-bridge knows up to {known}; the newer one can use it again"
    )]
    NewerVersion {
        /// The version in the file.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// It is a database of another program.
    #[error("it is another program's database")]
    Foreign,
    /// It is shorter than the smallest database.
    #[error("it has {bytes} bytes, and no database is that short")]
    TooShort {
        /// Its size in bytes.
        bytes: u64,
    },
    /// Its WAL exists, but the database itself is missing or empty.
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
    /// Hash of the body as received, to tell a repeated request from a different one.
    pub body_hash: [u8; 32],
    /// The caller's idempotency key.
    pub key: Option<IdempotencyKey>,
    /// When the caller is told the run's id.
    pub ack_mode: AckMode,
    /// The project that the request comes from.
    pub workspace: Option<Workspace>,
}

/// Result of accepting a [`NewRun`].
#[derive(Debug, Clone, PartialEq)]
pub enum Accept {
    /// It is stored, and its session is leased to it until it ends.
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
    /// The session's earlier round; absent in its first.
    pub previous: Option<Box<PreviousRound>>,
}

/// The earlier round, as far as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousRound {
    /// Codex's thread; absent if none was reported.
    pub thread: Option<Thread>,
    /// Number of earlier runs of the current round that reached Codex and ended without advice.
    /// Each may have left its prompt in the thread, so such a thread is forked, not resumed.
    pub failed_tries: u32,
    /// The question, redacted; absent if bodies are not stored.
    pub question: Option<AdvisorInput>,
    /// The answer; absent if bodies are not stored.
    pub advice: Option<Advice>,
}

/// A thread of Codex after a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thread {
    /// Codex's id.
    pub id: ThreadId,
    /// Whether it can be continued.
    pub transcript: Transcript,
    /// Tokens of the whole thread so far; absent if no turn reported them.
    pub usage_total: Option<Usage>,
    /// Its last completed turn; absent if Codex did not name it.
    pub last_turn: Option<TurnId>,
}

/// Whether Codex could save a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transcript {
    /// It can be resumed or forked.
    Saved,
    /// It was lost when its process ended.
    Lost,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Finish {
    /// With or without advice.
    pub ending: Ending,
    /// The response body as sent to the caller.
    pub outcome: serde_json::Value,
    /// Codex's thread, if there was one.
    pub thread: Option<Thread>,
    /// From acceptance to the end.
    pub duration: Duration,
    /// Metadata; stored even if bodies are not.
    pub facts: RunFacts,
}

/// Metadata of a run. Times count from its acceptance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFacts {
    /// Its tokens; absent if no turn was completed.
    pub usage: Option<Usage>,
    /// The model, if one was chosen.
    pub model: Option<String>,
    /// How Codex was driven; absent if no process was started.
    pub driver: Option<String>,
    /// Codex processes started.
    pub attempts: Option<u8>,
    /// Time in the queue, in milliseconds.
    pub queue_ms: Option<u64>,
    /// Time of the first event of the model's provider, in milliseconds.
    pub first_event_ms: Option<u64>,
}

/// A run in a list of the pages.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Its summary.
    pub run: RunSummary,
    /// When it was accepted, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its metadata.
    pub facts: RunFacts,
}

/// A run with its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct RunText {
    /// The run as in a list.
    pub row: RunRow,
    /// The request as JSON; absent if bodies are not stored.
    pub question: Option<String>,
    /// The response body; absent if bodies are not stored.
    pub outcome: Option<serde_json::Value>,
}

/// Search criteria and page of runs, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunSearch {
    /// Only runs with this text in question or outcome; empty for all. The case of ASCII letters is
    /// ignored.
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
    /// Number of runs to skip.
    pub skip: u32,
    /// At most this many.
    pub limit: u32,
}

/// A page of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFound {
    /// The runs of the page.
    pub rows: Vec<RunRow>,
    /// Number of runs that match the search; not counted for a text search.
    pub total: Option<u64>,
    /// Whether there is another page.
    pub has_next: bool,
}

/// Cost of one run, for sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageRow {
    /// When it was accepted, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its final state.
    pub state: RunState,
    /// The failure's code.
    pub code: Option<FailureCode>,
    /// The model.
    pub model: Option<String>,
    /// From acceptance to the end, in milliseconds.
    pub duration_ms: Option<u64>,
    /// Time in the queue, in milliseconds.
    pub queue_ms: Option<u64>,
    /// From acceptance to the provider's first event, in milliseconds.
    pub first_event_ms: Option<u64>,
    /// Its tokens.
    pub usage: Option<Usage>,
}

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With advice: the round is used up.
    Advice,
    /// Without advice: the round can be asked again.
    Failure(FailureCode),
}

impl Ending {
    /// The final state of the run.
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

    /// The terminal event of the run.
    #[must_use]
    pub fn event(self) -> EventName {
        match self {
            Self::Advice => EventName::Report,
            Self::Failure(_) => EventName::Failure,
        }
    }
}

/// Events that are written together with a run's end.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LastEvents {
    /// Events that may not be stored yet.
    pub events: Vec<Event>,
    /// Position of the terminal event; if absent, the first free one.
    pub end_seq: Option<u64>,
}

/// A page of a run's event log.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    /// The events, in order. The last one of an ended log is the terminal one.
    pub events: Vec<Event>,
    /// What follows.
    pub rest: EventRest,
}

/// What follows a page of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventRest {
    /// More events are stored already.
    More,
    /// Nothing yet; the run is in flight.
    Open,
    /// Nothing; the log has ended.
    Ended,
}

/// Result of a purge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Purged {
    /// Runs, each with its events and its idempotency key.
    pub runs: usize,
    /// Number of sessions.
    pub sessions: usize,
}
