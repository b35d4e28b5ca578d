//! Running and queued runs, for the first page and for the updates of open pages.

use contract::failure::Failure;
use contract::run::RunKind;
use window::view::{LiveRun, Progress, Queue};

use super::row::{row, shown_kind};
use crate::events::Going;
use crate::service::Service;
use crate::token::Rights;

/// Running and queued runs at one moment.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The number of run changes before it was collected.
    pub version: u64,
    /// Workers and the queue.
    pub queue: Queue,
    /// Runs that have not ended.
    pub runs: Vec<LiveRun>,
}

/// Collects the running and queued runs, of all kinds.
///
/// # Errors
/// `store_failed`, `overloaded`.
pub async fn look(service: &Service) -> Result<Snapshot, Failure> {
    let version = service.changes().borrow().runs;
    let runs = service.live_rows(None).await?;
    let runs = runs.into_iter().map(|found| {
        let going = service.going(found.run.run_id);
        let driver = found.facts.driver.clone();
        let Going { told: last, attempt, .. } = going.clone();
        LiveRun { row: row(found), last, progress: progress(&going), driver, attempt }
    });
    Ok(Snapshot { version, queue: queue(service), runs: runs.collect() })
}

impl Snapshot {
    /// The runs that these rights may see.
    #[must_use]
    pub fn shown(&self, rights: Rights) -> Vec<LiveRun> {
        let only: Option<RunKind> = shown_kind(rights);
        let runs = self.runs.iter();
        runs.filter(|run| only.is_none_or(|only| run.row.kind == only)).cloned().collect()
    }
}

fn queue(service: &Service) -> Queue {
    let (load, room) = service.load();
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    Queue {
        running: count(load.running),
        max_running: count(room.max_running),
        queued: count(load.queued),
        max_queued: count(room.max_queued),
    }
}

/// The progress of a run's model, for a page.
pub(super) fn progress(going: &Going) -> Option<Progress> {
    let told = going.progress.clone()?;
    Some(Progress {
        stage: told.stage,
        events: told.events,
        elapsed_ms: told.elapsed_ms,
        silent_ms: told.silent_ms,
        last: going.last,
        chars: told.chars,
        title: told.title,
        field: told.field,
    })
}
