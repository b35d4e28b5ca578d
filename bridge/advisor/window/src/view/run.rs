//! `/window/runs/{id}`: one run in full.

use contract::advice::{RedactionCount, Report};
use contract::event::Event;
use contract::failure::Failure;
use contract::input::AdvisorInput;

use super::now::Progress;
use super::runs::Row;

/// `/window/runs/{id}`.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its row in a list.
    pub row: Row,
    /// The request.
    pub asked: Asked,
    /// The outcome.
    pub ended: Ended,
    /// The model's progress; `None` if the run has ended or that is unknown.
    pub progress: Option<Progress>,
    /// The facts about it.
    pub facts: Facts,
    /// Its events, oldest first.
    pub timeline: Vec<Moment>,
    /// [`crate::Live::version`] when this was collected.
    pub version: u64,
}

/// The request of a run.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Advice.
    Advice(Box<AdvisorInput>),
    /// A turn of the user's own Codex, with this prompt.
    Turn(String),
    /// Texts are not stored.
    NotKept,
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub enum Ended {
    /// It has not ended.
    Not,
    /// Advice.
    Advice(Box<Report>),
    /// The answer of the user's own Codex.
    Turn(String),
    /// A failure.
    Failure(Box<Failure>),
    /// It has ended, and texts are not stored.
    NotKept,
}

/// The facts about a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The driver, such as `exec`.
    pub driver: Option<String>,
    /// The version of Codex.
    pub codex_version: Option<String>,
    /// Codex's thread id.
    pub thread_id: Option<String>,
    /// The number of Codex processes started.
    pub attempts: Option<u8>,
    /// The time in the queue.
    pub queue_ms: Option<u64>,
    /// From acceptance to the first event of the model.
    pub first_event_ms: Option<u64>,
    /// Guarantees that could not be given, one sentence each.
    pub limits: Vec<String>,
    /// What was masked before the question was sent.
    pub redactions: Vec<RedactionCount>,
}

/// One event of a run.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Its time; `None` if that is not stored.
    pub at_ms: Option<i64>,
    /// The event.
    pub event: Event,
}
