//! Pending changes: one file each in the user's state folder, where a repository cannot put one.
//! Writing one needs no lock.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::disk;
use super::error::StoreError;
use super::files::Files;

/// Maximum size of a file, in bytes: a node with its report has some kilobytes.
const BYTES_MAX: u64 = 1 << 20;

/// Changes that belong together.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Time in milliseconds since 1970.
    pub(super) at_ms: u64,
    /// The changes, in order.
    pub(super) changes: Vec<Change>,
}

/// A pending file.
pub(super) struct Waiting {
    pub(super) name: String,
    /// `None` if it is damaged.
    pub(super) entry: Option<Entry>,
}

/// Writes changes to a file.
pub(super) fn write(spool: &Files, changes: &[Change]) -> Result<(), StoreError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now();
    let entry = Entry { at_ms: crate::clock::millis(now), changes: changes.to_vec() };
    let bytes =
        serde_json::to_vec(&entry).map_err(|error| spool.failed("".as_ref(), error.into()))?;
    // Names sort by time; the process and a counter distinguish those of one instant.
    let name = format!(
        "{:020}-{}-{}.json",
        now.as_nanosecond().max(0),
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    spool.replace(name, &bytes)
}

/// Whether there are pending changes.
pub(super) fn is_waiting(spool: &Files) -> bool {
    !names(spool).is_empty()
}

/// The pending changes, oldest first.
pub(super) fn waiting(spool: &Files) -> Vec<Waiting> {
    let read = |name: String| {
        let bytes = spool.read(&name, BYTES_MAX).ok().flatten().unwrap_or_default();
        Waiting { entry: serde_json::from_slice(&bytes).ok(), name }
    };
    names(spool).into_iter().map(read).collect()
}

/// Sets a damaged change aside, where it is not read again.
pub(super) fn keep_aside(spool: &Files, name: &str) -> Result<PathBuf, StoreError> {
    disk::keep_aside(spool, name)
}

fn names(spool: &Files) -> Vec<String> {
    let names = spool.names().into_iter().filter_map(|name| name.into_string().ok());
    names.filter(|name| name.ends_with(".json") && !name.starts_with('.')).collect()
}
