//! The folder of all indexes: lists them, and removes unused ones. An index is removed under
//! the lock of its writer, so no writer is affected; a reader has read it completely, or builds a new one.
//!
//! Not here: the content of indexes, and when to call this.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::index::manifest::Manifest;
use crate::index::store::{LOCK, MANIFEST, SEGMENT, WORDS};

/// Indexes unused for this long are removed.
pub const UNUSED_MAX: Duration = Duration::from_secs(30 * 86_400);
/// Maximum size of all indexes together in bytes; above, the least recently used ones are removed.
pub const BYTES_MAX: u64 = 2 << 30;
/// Indexes used within this time are not removed because of their size.
const IN_USE: Duration = Duration::from_secs(86_400);
/// Interval of automatic pruning.
const EVERY: Duration = Duration::from_secs(86_400);
/// File whose modification time is that of the last automatic pruning.
const STAMP: &str = "last-prune";
/// Replacement for the repository's git configuration; created by `git-reader` and the history.
const GIT: &str = "git";

/// An index on disk, and when it was last used.
#[derive(Clone, Debug, Serialize)]
pub struct Index {
    /// The repository's root; `None` if the index is damaged or of another version.
    pub root: Option<String>,
    /// Its path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// When it was last used, in seconds since 1970, with a precision of an hour.
    pub used_s: u64,
    #[serde(skip)]
    used: SystemTime,
}

/// Result of pruning.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Pruned {
    /// The removed indexes.
    pub dropped: Vec<Index>,
    /// Indexes that were not removed because they were in use.
    pub busy: Vec<Index>,
    /// Number of remaining indexes.
    pub kept: usize,
}

/// The indexes below `cache`, most recently used first.
///
/// # Errors
/// The folder belongs to another user, or cannot be read; an absent one counts as empty.
pub fn list(cache: &Path) -> io::Result<Vec<Index>> {
    host::own::check_own_folder(cache)?;
    let entries = match fs::read_dir(cache) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut indexes: Vec<Index> =
        entries.flatten().filter_map(|entry| look(entry.path())).collect();
    indexes.sort_by(|one, other| other.used.cmp(&one.used).then(one.path.cmp(&other.path)));
    Ok(indexes)
}

/// Removes indexes unused for [`UNUSED_MAX`], and of the rest the oldest above [`BYTES_MAX`].
///
/// # Errors
/// As [`list`].
pub fn prune(cache: &Path, now: SystemTime) -> io::Result<Pruned> {
    prune_to(cache, now, BYTES_MAX)
}

fn prune_to(cache: &Path, now: SystemTime, bytes_max: u64) -> io::Result<Pruned> {
    let mut total = 0_u64;
    drop_where(cache, |index| {
        let age = now.duration_since(index.used).unwrap_or_default();
        // The most recently used come first.
        let fits = total.saturating_add(index.bytes) <= bytes_max;
        let keeps = age < IN_USE || (age < UNUSED_MAX && fits);
        if keeps {
            total = total.saturating_add(index.bytes);
        }
        !keeps
    })
}

/// [`prune`], unless it ran within the last day.
///
/// # Errors
/// As [`list`], or the time cannot be recorded.
pub fn prune_if_due(cache: &Path, now: SystemTime) -> io::Result<Option<Pruned>> {
    let stamp = cache.join(STAMP);
    let done = fs::symlink_metadata(&stamp).and_then(|found| found.modified());
    // A time in the future is ignored: the clock was wrong once.
    if done.is_ok_and(|done| now.duration_since(done).is_ok_and(|ago| ago < EVERY)) {
        return Ok(None);
    }
    if !cache.is_dir() {
        return Ok(None);
    }
    host::own::check_own_folder(cache)?;
    // Recorded first, so that a failing attempt is not repeated at every answer.
    host::Beneath::of(cache).replace(STAMP, b"")?;
    prune(cache, now).map(Some)
}

/// Removes every index, or the one of `root`.
///
/// # Errors
/// As [`list`].
pub fn clear(cache: &Path, root: Option<&Path>) -> io::Result<Pruned> {
    let root = root.map(Path::to_string_lossy);
    drop_where(cache, |index| root.is_none() || index.root.as_deref() == root.as_deref())
}

fn drop_where(cache: &Path, mut is_wanted: impl FnMut(&Index) -> bool) -> io::Result<Pruned> {
    let mut pruned = Pruned::default();
    for index in list(cache)? {
        if !is_wanted(&index) {
            pruned.kept += 1;
        } else if remove(&index)? {
            pruned.dropped.push(index);
        } else {
            pruned.kept += 1;
            pruned.busy.push(index);
        }
    }
    Ok(pruned)
}

/// The index in a folder, if it is one by its name and content.
fn look(path: PathBuf) -> Option<Index> {
    let name = path.file_name()?.to_str()?;
    let (_, hash) = name.rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash || !fs::symlink_metadata(&path).ok()?.is_dir() {
        return None;
    }
    let lock = fs::symlink_metadata(path.join(LOCK)).ok()?;
    let manifest = fs::symlink_metadata(path.join(MANIFEST));
    let used = manifest.as_ref().unwrap_or(&lock).modified().ok()?;
    let manifest = fs::read(path.join(MANIFEST)).ok().and_then(|bytes| Manifest::read(&bytes));
    let used_s = used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    Some(Index { root: manifest.map(|it| it.root), bytes: size(&path), path, used_s, used })
}

/// The size of a folder's content in bytes, without links.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) if found.is_file() => found.len(),
        Ok(_) | Err(_) => 0,
    });
    sizes.sum()
}

/// Removes an index, unless a process is writing it or has used it since it was listed. Only the files of an index
/// are removed: other files beside them stay, and then their folder too.
fn remove(index: &Index) -> io::Result<bool> {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let lock = match File::options().write(true).open(index.path.join(LOCK)) {
        Err(error) if is_gone(&error) => return Ok(true),
        lock => lock?,
    };
    if lock.try_lock().is_err() {
        return Ok(false);
    }
    let manifest = index.path.join(MANIFEST);
    if fs::metadata(&manifest).and_then(|found| found.modified()).is_ok_and(|at| at > index.used) {
        return Ok(false);
    }
    // The manifest first: without it, the other files are ignored.
    let ours = |name: &str| {
        let half = [".partial", ".new"].iter().any(|ending| name.ends_with(ending));
        half || name == WORDS || name.ends_with(SEGMENT)
    };
    let mut files = vec![manifest];
    for entry in fs::read_dir(&index.path)?.flatten() {
        if entry.file_name().to_str().is_some_and(ours) {
            files.push(entry.path());
        }
    }
    // The lock last: a waiting writer sees that it is gone.
    files.push(index.path.join(LOCK));
    match fs::remove_dir_all(index.path.join(GIT)) {
        Err(error) if !is_gone(&error) => return Err(error),
        _ => {}
    }
    for file in files {
        match fs::remove_file(file) {
            Err(error) if !is_gone(&error) => return Err(error),
            _ => {}
        }
    }
    // The folder may contain other files, or a new index already.
    let _ = fs::remove_dir(&index.path);
    drop(lock);
    Ok(true)
}

#[cfg(test)]
mod tests;
