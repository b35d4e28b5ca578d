//! The data for the script of open pages: numbers and our own texts, as one JSON line.

use serde::Serialize;

use crate::figure;
use crate::lang::Lang;
use crate::view::{LiveRun, Queue, note, stage};

/// The name of the one event of `GET /window/events`. Its data is [`Live::data`].
pub const LIVE_EVENT: &str = "now";

/// The state of all runs that have not ended.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    /// A number that changes when a run is accepted, started or ended. The script then requests the
    /// page again; otherwise it only updates figures.
    pub version: u64,
    /// Workers and the queue.
    pub queue: Queue,
    /// Runs that have not ended.
    pub runs: &'a [LiveRun],
}

impl Live<'_> {
    /// The data of the event: JSON on one line, `{version, running, queued, runs: [{id, stage, note,
    /// elapsed_ms, age_ms}]}`. `stage` and `note` are shown as text; `elapsed_ms` counts from the acceptance;
    /// `age_ms` is the age of the provider's last event, null if there is none.
    #[must_use]
    pub fn data(&self, lang: Lang, now_ms: i64) -> String {
        let words = lang.words();
        let run = |run: &LiveRun| LiveLine {
            id: run.row.run_id.to_string(),
            stage: stage(words, run),
            note: note(words, run),
            elapsed_ms: figure::since(&run.row.created_ms, &now_ms),
            age_ms: run.progress.as_ref().and_then(|progress| progress.silent_ms),
        };
        let data = LiveData {
            version: self.version,
            running: self.queue.running,
            queued: self.queue.queued,
            runs: self.runs.iter().map(run).collect(),
        };
        serde_json::to_string(&data).expect("plain data is JSON")
    }
}

#[derive(Serialize)]
struct LiveData {
    version: u64,
    running: u64,
    queued: u64,
    runs: Vec<LiveLine>,
}

#[derive(Serialize)]
struct LiveLine {
    id: String,
    stage: String,
    note: String,
    elapsed_ms: u64,
    age_ms: Option<u64>,
}
