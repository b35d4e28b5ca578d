//! Updates the history in a background process, after an answer: no caller waits for it.
//! The process is started only when HEAD has moved since the last update, and at a limited rate.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{Duration, SystemTime};

use host::installed_beside;
use supervise::{Detach, detach};

use super::file::{STAMP_BYTES, stamp_of};
use super::{FILE, FOLDER, stamp};
use crate::engine::CACHE_DIR_VARIABLE;
use crate::index::store::{MANIFEST, Store};

/// The hidden command of `ci` that updates the history.
pub(crate) const COMMAND: &str = "history";
/// The shortest time between two attempts: a repository in which it fails costs no more.
const EVERY: Duration = Duration::from_secs(60);
/// A file whose modification time is that of the last attempt.
const TRIED: &str = "past.tried";
/// The process's output, empty unless it fails.
const LOG: &str = "past.log";

/// Starts the process when an update is due; returns `true` when it was started.
pub(crate) fn start(root: &Path, cache: &Path, store: &Store, path: &OsStr) -> io::Result<bool> {
    if !store.folder().join(MANIFEST).is_file() {
        return Ok(false);
    }
    let Some(stamp) = stamp::of_head(root) else { return Ok(false) };
    let folder = store.folder().join(FOLDER);
    if known_stamp(&folder) == Some(stamp) || was_tried(&folder) {
        return Ok(false);
    }
    let Ok(program) = installed_beside("ci") else { return Ok(false) };
    store.beneath().replace(Path::new(FOLDER).join(TRIED), b"")?;
    detach(&Detach {
        program,
        args: vec!["--root".into(), root.into(), COMMAND.into()],
        env: vec![("PATH".into(), path.into()), (CACHE_DIR_VARIABLE.into(), cache.into())],
        log: folder.join(LOG),
    })?;
    Ok(true)
}

fn known_stamp(folder: &Path) -> Option<u64> {
    let mut bytes = Vec::with_capacity(STAMP_BYTES);
    File::open(folder.join(FILE)).ok()?.take(STAMP_BYTES as u64).read_to_end(&mut bytes).ok()?;
    stamp_of(&bytes)
}

fn was_tried(folder: &Path) -> bool {
    let tried = fs::symlink_metadata(folder.join(TRIED)).and_then(|found| found.modified());
    // A time in the future does not count: the clock was set back since.
    tried.is_ok_and(|tried| SystemTime::now().duration_since(tried).is_ok_and(|ago| ago < EVERY))
}
