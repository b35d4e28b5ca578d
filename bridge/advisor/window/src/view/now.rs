//! `/`: what runs, what waits, what ran last, and whether all is well.

use contract::event::{Entry, LastEvent};
use contract::run::ModelStage;

use super::runs::Row;

/// `/`.
#[derive(Debug, Clone)]
pub struct Now {
    /// Runs that have not ended, oldest first: those at work, then those that wait.
    pub live: Vec<LiveRun>,
    /// Workers and the queue.
    pub queue: Queue,
    /// The runs that ended last, newest first; at most 20.
    pub recent: Vec<Row>,
    /// Whether all is well.
    pub condition: Condition,
    /// [`crate::Live::version`] at the moment when this was gathered.
    pub version: u64,
}

/// A run that has not ended.
#[derive(Debug, Clone)]
pub struct LiveRun {
    /// As in a list.
    pub row: Row,
    /// The last event of its log; `None` before the first.
    pub last: Option<Entry>,
    /// How its model goes on; `None` where that is not known.
    pub progress: Option<Progress>,
    /// Which driver asks the model, such as `exec`.
    pub driver: Option<String>,
    /// The attempt that runs, from 1.
    pub attempt: Option<u8>,
}

/// How the model of a run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// What it does.
    pub stage: ModelStage,
    /// Events of its provider in this attempt so far.
    pub events: u64,
    /// Since the turn began.
    pub elapsed_ms: u64,
    /// Since the provider's last event.
    pub silent_ms: Option<u64>,
    /// What that event was.
    pub last: Option<LastEvent>,
    /// Characters of text so far.
    pub chars: Option<u64>,
    /// The title of the last complete thought, masked.
    pub title: Option<String>,
    /// The key of the advice that is being written.
    pub field: Option<String>,
}

/// Workers and the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Runs at work.
    pub running: u64,
    /// The most that may be at work.
    pub max_running: u64,
    /// Runs that wait.
    pub queued: u64,
    /// The most that may wait.
    pub max_queued: u64,
}

/// Whether all is well, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The names of the checks that failed.
    pub failed: Vec<String>,
    /// The version of Codex, where it was found.
    pub codex: Option<String>,
}
