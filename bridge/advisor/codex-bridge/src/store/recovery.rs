//! Recovery at startup: the folder is locked, a damaged database is set aside, and runs that the last
//! daemon left in flight when it crashed are marked as interrupted.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use rusqlite::params;

use super::clock::Clock;
use super::codes;
use super::database::{self, DATABASE_FILE, Fault};
use super::error::{OpenError, StoreError};
use super::lifecycle;
use super::lock::StateLock;
use super::record::{Damage, Quarantined, Recovery, Settings};
use super::writer::Writer;

/// Positions left free before the terminal event of an interrupted run. A reader may have received
/// events that were not stored before the crash; the terminal event must come after them.
const LOST_EVENTS_MAX: u64 = 1_000;

/// An opened store.
pub(super) struct Opened {
    pub(super) writer: Writer,
    pub(super) lock: StateLock,
    pub(super) recovery: Recovery,
}

/// Opens the folder and creates what is missing.
pub(super) fn open(
    dir: &Path,
    settings: &Settings,
    clock: &Clock,
    sweep: impl FnOnce(&[RunId]),
) -> Result<Opened, OpenError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .map_err(|source| OpenError::Unusable { path: dir.to_owned(), source })?;
    let lock = StateLock::take(dir)?;
    let path = dir.join(DATABASE_FILE);
    let mut sweep = Some(sweep);
    let mut begin = || -> Result<(Writer, Vec<RunId>), Fault> {
        let connection = database::open(&path)?;
        let writer = Writer::new(connection, settings.clone(), clock.clone());
        let interrupted = left_in_flight(&writer)?;
        if let (false, Some(sweep)) = (interrupted.is_empty(), sweep.take()) {
            sweep(&interrupted);
        }
        interrupt(&writer, &interrupted)?;
        Ok((writer, interrupted))
    };
    let (begun, quarantined) = match begin() {
        Err(Fault::Damaged(damage)) => {
            let path = database::set_aside(&path, &damage, clock.now())
                .map_err(|source| OpenError::Unusable { path: path.clone(), source })?;
            (begin(), Some(Quarantined { path, damage }))
        }
        begun => (begun, None),
    };
    let (writer, interrupted) = begun.map_err(|fault| match fault {
        Fault::Unusable(source) => OpenError::Unusable { path, source },
        Fault::Medium(source) => OpenError::Database { path, source },
        Fault::Damaged(source) => OpenError::Damaged { path, source },
    })?;
    Ok(Opened { writer, lock, recovery: Recovery { interrupted, quarantined } })
}

impl From<StoreError> for Fault {
    /// While the file is opened, a failed statement means that the file is damaged.
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Corrupt { source } | StoreError::Statement { source } => {
                Self::Damaged(Damage::Unreadable(source))
            }
            error => Self::Medium(error),
        }
    }
}

/// The runs that were in flight when the last daemon died.
fn left_in_flight(writer: &Writer) -> Result<Vec<RunId>, StoreError> {
    let mut statement = writer
        .connection
        .prepare("SELECT run_id FROM runs WHERE finished_at IS NULL ORDER BY run_id")?;
    let runs = statement.query_map([], |row| codes::column(row, 0, codes::word))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

/// Ends these runs as interrupted and frees their sessions.
fn interrupt(writer: &Writer, runs: &[RunId]) -> Result<(), StoreError> {
    if runs.is_empty() {
        return Ok(());
    }
    let failure = Failure::new(
        FailureCode::Interrupted,
        "the bridge died during this run; ask again in the same session",
    );
    let outcome = writer
        .settings
        .bodies
        .then(|| serde_json::to_string(&failure).expect("a failure without meta has a JSON form"));
    let transaction = writer.connection.unchecked_transaction()?;
    for run_id in runs {
        let end_seq = lifecycle::first_free_seq(writer, *run_id)?.saturating_add(LOST_EVENTS_MAX);
        transaction
            .prepare_cached(
                "UPDATE runs SET state = 'interrupted', code = ?2, end_seq = ?3, outcome = ?4,
                 finished_at = max(created_at, ?5) WHERE run_id = ?1",
            )?
            .execute(params![
                run_id.to_string(),
                FailureCode::Interrupted.as_str(),
                end_seq,
                outcome,
                writer.now_ms(),
            ])?;
    }
    transaction.execute("UPDATE sessions SET leased_to = NULL WHERE leased_to IS NOT NULL", [])?;
    Ok(transaction.commit()?)
}
