//! A journal's file: locked, and extended by whole lines only, even after an incomplete write.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use contract::id::SessionId;

use crate::places::{Places, SessionFolder};

/// How long to wait for a lock. A starting child process briefly shares its parent's lock, and
/// a check whether a session is open takes it briefly.
const LOCK_MAX: Duration = Duration::from_millis(200);

/// A journal's file, and the lines that are not written yet.
#[derive(Debug)]
pub(super) struct LockedFile {
    pub(super) file: File,
    /// The length of its complete lines, in bytes.
    len: u64,
    /// Lines that could not be written yet.
    pending: Vec<u8>,
    /// An incomplete write could not be undone: the file ends with a partial line.
    pub(super) is_torn: bool,
}

/// Which process has a journal locked.
#[derive(Debug)]
pub(crate) enum Held {
    /// This process, until the file is dropped.
    Ours(File),
    /// Another one.
    Theirs,
}

/// The file name of a session's journal.
pub(crate) fn name(id: SessionId) -> String {
    format!("{id}.jsonl")
}

/// Locks an existing journal.
///
/// # Errors
/// An error of the file system, or the file is a link.
pub(crate) fn lock(folder: &SessionFolder, name: &str) -> io::Result<Held> {
    let file = folder.beneath().append(folder.at(name))?;
    match host::lock_until(&file, Instant::now() + LOCK_MAX) {
        Ok(()) => Ok(Held::Ours(file)),
        Err(TryLockError::WouldBlock) => Ok(Held::Theirs),
        Err(TryLockError::Error(source)) => Err(source),
    }
}

/// Whether a process has a journal locked.
pub(crate) fn is_held(folder: &SessionFolder, name: &str) -> bool {
    let file = folder.beneath().open(folder.at(name));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Creates a journal with its first bytes, and syncs it and its name to disk.
///
/// # Errors
/// An error of the file system; the file is removed then.
pub(super) fn make(
    places: &Places,
    folder: &SessionFolder,
    name: &str,
    bytes: &[u8],
) -> io::Result<LockedFile> {
    places.make(folder)?;
    let made = (|| {
        let Held::Ours(file) = lock(folder, name)? else {
            return Err(io::ErrorKind::AlreadyExists.into());
        };
        // In a folder that existed before, other users may have access.
        file.set_permissions(Permissions::from_mode(0o600))?;
        let mut file = LockedFile::at(file, 0)?;
        file.append(bytes)?;
        file.sync()?;
        folder.sync()?;
        Ok(file)
    })();
    made.inspect_err(|_| {
        // The id is new, so a file of this name is ours. The error above is the one that is returned.
        let _ = folder.beneath().remove(folder.at(name));
    })
}

impl LockedFile {
    /// A file whose first `len` bytes are complete lines; the rest is truncated.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn at(file: File, len: u64) -> io::Result<Self> {
        if file.metadata()?.len() > len {
            file.set_len(len)?;
        }
        Ok(Self { file, len, pending: Vec::new(), is_torn: false })
    }

    /// Appends lines, after those that are still pending.
    ///
    /// # Errors
    /// An error of the file system. The lines are kept, and written by a later call.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(lines);
        if self.is_torn && self.file.set_len(self.len).is_err() {
            // The partial line gets an end, and a reader skips it.
            self.file.write_all(b"\n")?;
            self.len = self.file.metadata()?.len();
        }
        self.is_torn = false;
        match self.file.write_all(&self.pending) {
            Ok(()) => {
                self.len = self.len.saturating_add(self.pending.len() as u64);
                self.pending.clear();
                Ok(())
            }
            Err(error) => {
                self.is_torn = self.file.set_len(self.len).is_err();
                Err(error)
            }
        }
    }

    /// Syncs its lines to disk.
    ///
    /// # Errors
    /// An error of the file system.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
