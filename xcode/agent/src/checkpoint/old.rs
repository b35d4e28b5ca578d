//! Removes the checkpoints of ended sessions. The newest are kept for a while, so that their sessions can be resumed; those of
//! a running process are locked, and stay.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime};

use host::Beneath;

/// The lock file that shows other processes that a folder is in use.
pub(super) const LOCK: &str = ".lock";

/// How many sessions are kept.
const SESSIONS_MAX: usize = 20;

/// How much they may take together, in bytes.
const BYTES_MAX: u64 = 1 << 30;

/// How long a session is kept.
const AGE_MAX: Duration = Duration::from_secs(14 * 24 * 3_600);

/// Removes what is too old or too large in `folder` of `home`, except for the folder of the session `own`.
pub(super) fn clear(home: &Beneath, folder: &Path, own: &Path) {
    let Ok(names) = home.names(folder) else { return };
    let mut kept: Vec<(SystemTime, OsString)> = Vec::new();
    for name in names.into_iter().filter(|name| Some(name.as_os_str()) != own.file_name()) {
        let written = home.metadata(folder.join(&name)).and_then(|found| found.modified());
        if let Ok(written) = written {
            kept.push((written, name));
        }
    }
    kept.sort_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (place, (written, name)) in kept.iter().enumerate() {
        let session = folder.join(name);
        bytes += size(home, &session);
        let is_old = written.elapsed().is_ok_and(|age| age > AGE_MAX);
        if is_old || place >= SESSIONS_MAX || bytes > BYTES_MAX {
            let lock = home.lock_file(session.join(LOCK));
            if lock.is_ok_and(|lock| lock.try_lock().is_ok()) {
                remove(home, &session);
            }
        }
    }
}

/// Removes a session's folder, which contains files only.
pub(super) fn remove(home: &Beneath, session: &Path) {
    for name in home.names(session).unwrap_or_default() {
        let _ = home.remove(session.join(name));
    }
    let _ = std::fs::remove_dir(home.path().join(session));
}

fn size(home: &Beneath, session: &Path) -> u64 {
    let names = home.names(session).unwrap_or_default();
    let sizes = names.iter().filter_map(|name| home.metadata(session.join(name)).ok());
    sizes.map(|found| found.len()).sum()
}
