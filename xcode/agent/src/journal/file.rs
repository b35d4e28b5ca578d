//! The file of a journal: locked, and only added to by whole lines, also where a write breaks off.

use std::fs::{File, Permissions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use contract::id::SessionId;

use crate::places::{Places, SessionFolder};

/// How long a lock is waited for. A child that is about to start holds what its parent held for a moment, and
/// so does a look whether a session is open.
const LOCK_MAX: Duration = Duration::from_millis(200);

/// A journal's file, and what is not on it yet.
#[derive(Debug)]
pub(super) struct LockedFile {
    pub(super) file: File,
    /// The length of its whole lines, in bytes.
    len: u64,
    /// Lines that could not be written so far.
    pending: Vec<u8>,
    /// A write broke off and could not be taken back: the file ends in a part of a line.
    pub(super) is_torn: bool,
}

/// Who has a journal.
#[derive(Debug)]
pub(crate) enum Held {
    /// This process, until the file is dropped.
    Ours(File),
    /// Another one.
    Theirs,
}

/// The name of a session's journal.
pub(crate) fn name(id: SessionId) -> String {
    format!("{id}.jsonl")
}

/// Locks a journal that is there.
///
/// # Errors
/// What the file system says, and a link.
pub(crate) fn lock(folder: &SessionFolder, name: &str) -> io::Result<Held> {
    let file = folder.beneath().append(folder.at(name))?;
    match host::lock_until(&file, Instant::now() + LOCK_MAX) {
        Ok(()) => Ok(Held::Ours(file)),
        Err(TryLockError::WouldBlock) => Ok(Held::Theirs),
        Err(TryLockError::Error(source)) => Err(source),
    }
}

/// Whether a process has a journal.
pub(crate) fn is_held(folder: &SessionFolder, name: &str) -> bool {
    let file = folder.beneath().open(folder.at(name));
    file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Makes a journal with its first bytes, on disk with its name.
///
/// # Errors
/// What the file system says; nothing is left of it then.
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
        // Others may look into the folder where it was there before.
        file.set_permissions(Permissions::from_mode(0o600))?;
        let mut file = LockedFile::at(file, 0)?;
        file.append(bytes)?;
        file.sync()?;
        folder.sync()?;
        Ok(file)
    })();
    made.inspect_err(|_| {
        // The id is new: whatever has this name is ours. What fails here has failed above.
        let _ = folder.beneath().remove(folder.at(name));
    })
}

impl LockedFile {
    /// A file whose first `len` bytes are whole lines; what follows is cut off.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn at(file: File, len: u64) -> io::Result<Self> {
        if file.metadata()?.len() > len {
            file.set_len(len)?;
        }
        Ok(Self { file, len, pending: Vec::new(), is_torn: false })
    }

    /// Adds lines, after those that are still missing.
    ///
    /// # Errors
    /// What the file system says. The lines are kept, and written by a later call.
    pub(super) fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(lines);
        if self.is_torn && self.file.set_len(self.len).is_err() {
            // The part that is there becomes a line of its own, which a reader leaves out.
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

    /// Waits until its lines are on disk.
    ///
    /// # Errors
    /// What the file system says.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}
