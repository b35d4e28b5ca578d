//! `/`: running and queued runs, the last runs, and the daemon's condition.

use contract::event::{Entry, LastEvent};
use contract::run::ModelStage;

use super::runs::Row;

/// `/`.
#[derive(Debug, Clone)]
pub struct Now {
    /// Runs that have not ended, oldest first: the running ones, then the queued ones.
    pub live: Vec<LiveRun>,
    /// Workers and the queue.
    pub queue: Queue,
    /// The runs that ended last, newest first; at most 20.
    pub recent: Vec<Row>,
    /// The daemon's condition.
    pub condition: Condition,
    /// [`crate::Live::version`] when this was collected.
    pub version: u64,
}

/// A run that has not ended.
#[derive(Debug, Clone)]
pub struct LiveRun {
    /// Its row in a list.
    pub row: Row,
    /// The last event of its log; `None` if there is none.
    pub last: Option<Entry>,
    /// The model's progress; `None` if unknown.
    pub progress: Option<Progress>,
    /// The driver, such as `exec`.
    pub driver: Option<String>,
    /// The current attempt, from 1.
    pub attempt: Option<u8>,
}

/// The progress of a run's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What the model does.
    pub stage: ModelStage,
    /// Events of its provider in this attempt so far.
    pub events: u64,
    /// The time since the turn began.
    pub elapsed_ms: u64,
    /// The time since the provider's last event.
    pub silent_ms: Option<u64>,
    /// The kind of that event.
    pub last: Option<LastEvent>,
    /// Characters of text so far.
    pub chars: Option<u64>,
    /// The title of the last complete reasoning step, masked.
    pub title: Option<String>,
    /// The key of the advice that is being written.
    pub field: Option<String>,
}

/// Workers and the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// The number of running runs.
    pub running: u64,
    /// The most runs that may run at once.
    pub max_running: u64,
    /// The number of queued runs.
    pub queued: u64,
    /// The most runs that may be queued.
    pub max_queued: u64,
}

/// The daemon's condition, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The names of the checks that failed.
    pub failed: Vec<String>,
    /// The version of Codex, if it was found.
    pub codex: Option<String>,
}
