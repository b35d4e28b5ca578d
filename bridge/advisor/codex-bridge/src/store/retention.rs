//! Old runs are deleted from the database here, after `store.retention`. Also returns free pages, and probes whether the
//! disk accepts writes.

use std::time::Duration;

use rusqlite::params;

use super::error::StoreError;
use super::record::Purged;
use super::writer::Writer;

/// Maximum number of old runs deleted from the database in one transaction, so that a purge never delays a request for
/// long.
const PURGE_BATCH: i64 = 100;

/// Maximum number of pages of 4 KiB returned in one transaction: a few milliseconds.
const SHRINK_BATCH_PAGES: u32 = 256;

/// Free pages that are kept for the next writes.
const FREE_PAGES_KEPT: u64 = 64;

/// Deletes one batch of old runs from the database: those older than the retention. An empty result means that none is
/// left.
///
/// A session is deleted once it is expired, older than the retention and without runs: until then a caller who
/// returns to it is told that it has expired, not that it is unknown.
pub(super) fn delete_old_runs(writer: &Writer) -> Result<Purged, StoreError> {
    let now = writer.now_ms();
    let oldest = now.saturating_sub(milliseconds(writer.settings.retention));
    let runs = writer
        .connection
        .prepare_cached(
            "DELETE FROM runs WHERE run_id IN
             (SELECT run_id FROM runs WHERE finished_at < ?1 LIMIT ?2)",
        )?
        .execute(params![oldest, PURGE_BATCH])?;
    let sessions = writer
        .connection
        .prepare_cached(
            "DELETE FROM sessions WHERE session_id IN
             (SELECT session_id FROM sessions
              WHERE created_at < ?1 AND expires_at <= ?2 AND NOT EXISTS
              (SELECT 1 FROM runs WHERE runs.session_id = sessions.session_id) LIMIT ?3)",
        )?
        .execute(params![oldest, now, PURGE_BATCH])?;
    Ok(Purged { runs, sessions })
}

/// Returns some of the database's free pages to the file system, and their number; 0 if only a few
/// are left.
pub(super) fn shrink(writer: &Writer) -> Result<u64, StoreError> {
    let free = || -> Result<u64, StoreError> {
        Ok(writer.connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?)
    };
    let before = free()?;
    if before <= FREE_PAGES_KEPT {
        return Ok(0);
    }
    let mut vacuum =
        writer.connection.prepare(&format!("PRAGMA incremental_vacuum({SHRINK_BATCH_PAGES})"))?;
    // One row per page.
    let mut rows = vacuum.query([])?;
    while rows.next()?.is_some() {}
    Ok(before.saturating_sub(free()?))
}

/// Rewrites a row that exists for this purpose, to check whether the store can be written.
pub(super) fn probe(writer: &Writer) -> Result<(), StoreError> {
    writer
        .connection
        .prepare_cached(
            "INSERT INTO probe (id, written) VALUES (1, ?1)
             ON CONFLICT (id) DO UPDATE SET written = excluded.written",
        )?
        .execute([writer.now_ms()])?;
    Ok(())
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
