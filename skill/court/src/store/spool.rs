//! Changes that wait: one file each in `.claude/historian/spool`. Writing one needs no lock.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::change::Change;
use super::disk::replace;
use super::{StoreError, disk};

/// The folder, below that of the ledger.
const FOLDER: &str = "spool";
/// The largest file that is read, in bytes: a node with its report is some kilobytes.
const BYTES_MAX: u64 = 1 << 20;

/// Changes that were made together.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// When, in milliseconds since 1970.
    pub(super) at_ms: u64,
    /// The changes, in order.
    pub(super) changes: Vec<Change>,
}

/// A file that waits.
pub(super) struct Waiting {
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// None where it is damaged.
    pub(super) entry: Option<Entry>,
}

/// Writes changes down.
pub(super) fn write(historian: &Path, changes: &[Change]) -> Result<(), StoreError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let folder = historian.join(FOLDER);
    let failed = |source: io::Error| StoreError::Io { path: folder.clone(), source };
    if !folder.is_dir() {
        fs::create_dir_all(&folder).map_err(failed)?;
    }
    let now = jiff::Timestamp::now();
    let entry = Entry { at_ms: crate::clock::millis(now), changes: changes.to_vec() };
    let bytes = serde_json::to_vec(&entry).map_err(|error| failed(error.into()))?;
    // Names sort by time; the process and a count tell those of one instant apart.
    let name = format!(
        "{:020}-{}-{}.json",
        now.as_nanosecond().max(0),
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    replace(&folder.join(name), &bytes)
}

/// Whether anything waits.
pub(super) fn is_waiting(historian: &Path) -> bool {
    files(historian).next().is_some()
}

/// What waits, the oldest first.
pub(super) fn waiting(historian: &Path) -> Vec<Waiting> {
    let mut paths: Vec<PathBuf> = files(historian).collect();
    paths.sort();
    paths.into_iter().map(read).collect()
}

/// Puts a damaged change aside, where it is not read again.
pub(super) fn keep_aside(path: &Path) -> Result<PathBuf, StoreError> {
    disk::keep_aside(path)
}

fn read(path: PathBuf) -> Waiting {
    let small = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= BYTES_MAX);
    let bytes = if small { fs::read(&path).unwrap_or_default() } else { Vec::new() };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Waiting { name, path, entry: serde_json::from_slice(&bytes).ok() }
}

fn files(historian: &Path) -> impl Iterator<Item = PathBuf> {
    let found = fs::read_dir(historian.join(FOLDER)).into_iter().flatten().flatten();
    found.map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".json") && !name.starts_with('.')
    })
}
