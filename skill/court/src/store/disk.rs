//! Files read in bounds and replaced whole. Absent: locks, meaning.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::StoreError;
use crate::records::{Record, VERSION};

/// How many damaged files of one name are kept; the next one takes the place of the last.
const ASIDE_MAX: usize = 99;
/// The largest archive of what was dropped, in bytes; a full one becomes `.1`.
const ARCHIVE_MAX: u64 = 16 << 20;

/// What lies at a path.
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
pub(super) fn load<T: Record>(path: &Path) -> Result<Loaded<T>, StoreError> {
    let failed = |source| StoreError::Io { path: path.to_path_buf(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Loaded::Absent),
        Err(error) => return Err(failed(error)),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() || metadata.len() > T::BYTES_MAX {
        return Ok(Loaded::Damaged);
    }
    let mut bytes = Vec::new();
    file.take(T::BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    let opens = bytes.trim_ascii_start().first() == Some(&T::OPENS);
    match serde_json::from_slice::<T>(&bytes) {
        Ok(_) if !opens => Ok(Loaded::Damaged),
        Ok(record) if record.version() > VERSION => too_new(path, record.version()),
        Ok(record) => Ok(Loaded::Whole(record)),
        // A newer format may have another shape; it is not damaged.
        Err(_) => match serde_json::from_slice::<Versioned>(&bytes) {
            Ok(Versioned { version: Some(found) }) if found > VERSION => too_new(path, found),
            _ => Ok(Loaded::Damaged),
        },
    }
}

fn too_new<T>(path: &Path, found: u32) -> Result<Loaded<T>, StoreError> {
    Err(StoreError::TooNew { path: path.to_path_buf(), found })
}

/// Replaces a record whole.
pub(super) fn save<T: Record>(path: &Path, record: &T) -> Result<(), StoreError> {
    let bytes = serde_json::to_vec_pretty(record)
        .map_err(|error| StoreError::Io { path: path.to_path_buf(), source: error.into() })?;
    replace(path, &bytes)
}

/// Replaces a file whole: whoever reads sees the old or the new one. The folder must exist.
///
/// # Errors
/// [`StoreError::Io`] when it cannot be written; the old one is untouched then.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let written = (|| {
        let mut file = File::create(&fresh)?;
        file.write_all(bytes)?;
        fs::rename(&fresh, path)
    })();
    written.map_err(|source| {
        // It may not be there.
        let _ = fs::remove_file(&fresh);
        StoreError::Io { path: path.to_path_buf(), source }
    })
}

/// Moves a damaged file out of the way and says where it is.
pub(super) fn keep_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let at = |number: usize| path.with_file_name(format!("{name}.corrupt-{number}"));
    let free = (1..ASIDE_MAX).map(at).find(|aside| fs::symlink_metadata(aside).is_err());
    let aside = free.unwrap_or_else(|| at(ASIDE_MAX));
    fs::rename(path, &aside)
        .map_err(|source| StoreError::Io { path: path.to_path_buf(), source })?;
    Ok(aside)
}

/// Adds what was dropped from a record to `NAME.archive.jsonl` beside it.
pub(super) fn archive(path: &Path, dropped: &[String]) -> Result<(), StoreError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let archive = path.with_extension("archive.jsonl");
    let written = (|| {
        if fs::metadata(&archive).is_ok_and(|found| found.len() > ARCHIVE_MAX) {
            fs::rename(&archive, path.with_extension("archive.1.jsonl"))?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&archive)?;
        file.write_all((dropped.join("\n") + "\n").as_bytes())
    })();
    written.map_err(|source| StoreError::Io { path: archive.clone(), source })
}
