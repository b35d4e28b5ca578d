//! One daemon per state folder: an advisory lock that the kernel releases when its holder dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::error::OpenError;

/// The name of the lock file in the state folder. The file is never deleted; only the lock on it counts.
pub(super) const LOCK_FILE: &str = "lock";

/// The lock on a state folder, held until dropped.
#[derive(Debug)]
pub(super) struct StateLock {
    _file: File,
}

impl StateLock {
    /// Takes the lock and writes our process id into the file, for the error message of another daemon.
    pub(super) fn take(dir: &Path) -> Result<Self, OpenError> {
        let path = dir.join(LOCK_FILE);
        let unusable = |source| OpenError::Unusable { path: path.clone(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let pid =
                    file.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                return Err(OpenError::InUse { path: dir.to_owned(), pid });
            }
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        // The id is only informative: a full disk must not keep the daemon from starting.
        let _ = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        Ok(Self { _file: file })
    }
}
