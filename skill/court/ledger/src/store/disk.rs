//! Reads records up to their maximum size and replaces them atomically. Not here: locks, meaning.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::StoreError;
use super::files::{Files, is_absent};
use crate::records::{Record, VERSION};

/// Maximum number of damaged files kept per name; further ones replace the last.
const ASIDE_MAX: usize = 99;
/// Maximum size of the archive of dropped entries, in bytes; a full one is renamed to `.1`.
const ARCHIVE_MAX: u64 = 16 << 20;

/// The content at a path.
pub(super) enum Loaded<T> {
    Absent,
    Whole(T),
    Damaged,
}

#[derive(Deserialize)]
struct Versioned {
    version: Option<u32>,
}

/// Reads a record.
pub(super) fn load<T: Record>(files: &Files) -> Result<Loaded<T>, StoreError> {
    let failed = |error| files.failed(T::NAME.as_ref(), error);
    let file = match files.open(T::NAME) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(Loaded::Absent),
        Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
            return Ok(Loaded::Damaged);
        }
        Err(error) => return Err(failed(error)),
    };
    if file.metadata().map_err(failed)?.len() > T::BYTES_MAX {
        return Ok(Loaded::Damaged);
    }
    let mut bytes = Vec::new();
    file.take(T::BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    let opens = bytes.trim_ascii_start().first() == Some(&T::OPENS);
    match serde_json::from_slice::<T>(&bytes) {
        Ok(_) if !opens => Ok(Loaded::Damaged),
        Ok(record) if record.version() > VERSION => too_new(files.path(T::NAME), record.version()),
        Ok(record) => Ok(Loaded::Whole(record)),
        // A newer format may have another structure; it is not damaged.
        Err(_) => match serde_json::from_slice::<Versioned>(&bytes) {
            Ok(Versioned { version: Some(found) }) if found > VERSION => {
                too_new(files.path(T::NAME), found)
            }
            _ => Ok(Loaded::Damaged),
        },
    }
}

fn too_new<T>(path: PathBuf, found: u32) -> Result<Loaded<T>, StoreError> {
    Err(StoreError::TooNew { path, found })
}

/// Replaces a record atomically.
pub(super) fn save<T: Record>(files: &Files, record: &T) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec_pretty(record)
        .map_err(|error| files.failed(T::NAME.as_ref(), error.into()))?;
    files.replace(T::NAME, &bytes)
}

/// Renames a damaged file and returns its new path.
pub(super) fn keep_aside(files: &Files, name: &str) -> Result<PathBuf, StoreError> {
    let at = |number: usize| format!("{name}.corrupt-{number}");
    let free = (1..ASIDE_MAX).map(at).find(|aside| files.metadata(aside).is_none());
    let aside = free.unwrap_or_else(|| at(ASIDE_MAX));
    files.rename(name, &aside).map_err(|error| files.failed(name.as_ref(), error))?;
    Ok(files.path(aside))
}

/// Appends dropped entries of a record to `NAME.archive.jsonl` beside it.
pub(super) fn archive<T: Record>(files: &Files, dropped: &[String]) -> Result<(), StoreError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let named = |ending| Path::new(T::NAME).with_extension(ending);
    let archive = named("archive.jsonl");
    if files.metadata(&archive).is_some_and(|found| found.len() > ARCHIVE_MAX) {
        let moved = files.rename(&archive, named("archive.1.jsonl"));
        moved.map_err(|error| files.failed(&archive, error))?;
    }
    let written = files.append(&archive)?.write_all((dropped.join("\n") + "\n").as_bytes());
    written.map_err(|error| files.failed(&archive, error))
}
