//! `/window/runs/{id}`: one run in full, nothing cut.

use contract::advice::{RedactionCount, Report};
use contract::event::Event;
use contract::failure::Failure;
use contract::input::AdvisorInput;

use super::now::Progress;
use super::runs::Row;

/// `/window/runs/{id}`.
#[derive(Debug, Clone)]
pub struct Run {
    /// As in a list.
    pub row: Row,
    /// What was asked.
    pub asked: Asked,
    /// What came of it.
    pub ended: Ended,
    /// How its model goes on; `None` where it has ended or that is not known.
    pub progress: Option<Progress>,
    /// What the bridge did.
    pub facts: Facts,
    /// Its events, oldest first.
    pub timeline: Vec<Moment>,
    /// [`crate::Live::version`] at the moment when this was gathered.
    pub version: u64,
}

/// What was asked.
#[derive(Debug, Clone)]
pub enum Asked {
    /// Advice.
    Advice(Box<AdvisorInput>),
    /// A turn of the user's own Codex, with this prompt.
    Turn(String),
    /// Bodies are not kept.
    NotKept,
}

/// What came of a run.
#[derive(Debug, Clone)]
pub enum Ended {
    /// It has not ended.
    Not,
    /// Advice.
    Advice(Box<Report>),
    /// What the user's own Codex answered.
    Turn(String),
    /// A failure.
    Failure(Box<Failure>),
    /// It has ended, and bodies are not kept.
    NotKept,
}

/// What the bridge did for a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Which driver asked the model, such as `exec`.
    pub driver: Option<String>,
    /// The version of Codex.
    pub codex_version: Option<String>,
    /// Codex's id of the conversation.
    pub thread_id: Option<String>,
    /// Codex processes started.
    pub attempts: Option<u8>,
    /// Spent waiting for a worker.
    pub queue_ms: Option<u64>,
    /// From acceptance to the first event of the model.
    pub first_event_ms: Option<u64>,
    /// What is weaker than asked, one sentence each.
    pub limits: Vec<String>,
    /// What was masked before the question left.
    pub redactions: Vec<RedactionCount>,
}

/// One event of a run.
#[derive(Debug, Clone)]
pub struct Moment {
    /// When it was; `None` where that is not kept.
    pub at_ms: Option<i64>,
    /// What it says.
    pub event: Event,
}
