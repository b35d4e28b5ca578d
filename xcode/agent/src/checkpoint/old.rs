//! What ended sessions kept: the newest stay for a while, so that they can go on; the rest is removed. What a running
//! program works with is locked, and stays.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, SystemTime};

use host::Beneath;

/// Tells other programs that a folder is worked with.
pub(super) const LOCK: &str = ".lock";

/// How many sessions stay.
const SESSIONS_MAX: usize = 20;

/// How much they may take together, in bytes.
const BYTES_MAX: u64 = 1 << 30;

/// How long one stays.
const AGE_MAX: Duration = Duration::from_secs(14 * 24 * 3_600);

/// Removes what is too old or too much in `folder` of `home`, but for the folder of the session `own`.
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

/// Removes the folder of a session: it holds files and nothing else.
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
