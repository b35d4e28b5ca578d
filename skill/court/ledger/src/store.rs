//! The files of the court on disk. A read takes no lock, because files are replaced atomically. A write
//! takes the lock, reads, changes and replaces. Data that must not be lost uses [`Store::record`]: the
//! change is first written to a file of its own, and then folded into ledger and nodes by
//! the next process that holds the lock.
//!
//! Records of the work are in the project and are untrusted data: anyone may have written them. Records that grant
//! something, and the digests of what the court wrote itself, are in the user's state folder.
//!
//! A damaged file is renamed to `NAME.corrupt-N`. If a folder cannot be written, the caller gets an
//! error and continues without it. Not here: the meaning of the files.

mod change;
mod disk;
mod error;
mod files;
mod fold;
mod lock;
mod own;
mod spool;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Instant;

use host::Beneath;

use crate::places::{COURT, HISTORIAN, Places};
use crate::records::{Folder, Record};

pub use change::{Change, Origin};
pub use error::StoreError;
pub use files::{Files, is_absent};
use lock::Lock;

/// The folder of pending changes, in the project's part of the user's state folder.
const SPOOL: &str = "spool";

/// Maximum number of pending changes, because they may never be folded in.
const LEFT_MAX: usize = 256;

/// The files of one project.
#[derive(Debug)]
pub struct Store {
    historian: Files,
    court: Files,
    /// `None` if the user has no state folder.
    state: Option<Files>,
    grants: Option<Files>,
    /// Deadline of waiting for the lock.
    deadline: Instant,
    /// Damaged files that were set aside and not reported to the user yet.
    kept_aside: RefCell<Vec<PathBuf>>,
}

impl Store {
    /// The files of a project; nothing is accessed yet.
    pub fn new(places: &Places, deadline: Instant) -> Self {
        let project = Beneath::of(&places.project).ignoring(&[COURT, HISTORIAN]);
        let own = |beneath: Option<Beneath>| beneath.map(|beneath| Files::new(beneath, ""));
        Self {
            historian: Files::new(project.clone(), HISTORIAN),
            court: Files::new(project, COURT),
            state: own(places.state()),
            grants: own(places.grants()),
            deadline,
            kept_aside: RefCell::default(),
        }
    }

    /// Reads a file; an absent one counts as empty. A damaged one is set aside and counts as empty.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], and others if the file exists and cannot be read.
    pub fn read<T: Record>(&self) -> Result<T, StoreError> {
        let files = self.files(T::FOLDER)?;
        match disk::load::<T>(files)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => {
                // It may have been repaired in the meantime; read it again under the lock.
                if let Ok(_lock) = self.lock(T::FOLDER) {
                    return self.load_locked::<T>();
                }
                Ok(T::default())
            }
        }
    }

    /// Reads a file without changing anything; an absent one counts as empty.
    ///
    /// # Errors
    /// As [`Store::read`], and [`StoreError::Damaged`].
    pub fn look_at<T: Record>(&self) -> Result<T, StoreError> {
        let files = self.files(T::FOLDER)?;
        match disk::load::<T>(files)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => Err(StoreError::Damaged { path: files.path(T::NAME) }),
        }
    }

    /// Changes a file under the lock and replaces it.
    ///
    /// # Errors
    /// [`StoreError::Busy`] if the lock is held too long; others as [`Store::read`]. The file
    /// is unchanged.
    pub fn update<T: Record, R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, StoreError> {
        let _lock = self.lock(T::FOLDER)?;
        self.update_locked(change)
    }

    /// Writes a change of ledger or nodes to the spool, and folds in all pending changes. After it
    /// returns successfully, the change is not lost, even if another process has to fold it
    /// in.
    ///
    /// # Errors
    /// All but [`StoreError::Busy`], if it could not be written to the spool.
    pub fn record(&self, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        // Without a ledger to fold it into, it would stay pending for ever.
        self.historian.make()?;
        spool::write(&self.spool()?, changes)?;
        match self.fold() {
            // It stays in the spool; the next process folds it in.
            Err(StoreError::Busy { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes a change to the spool without the lock and without a ledger: for changes made when the deadline has passed or
    /// the ledger cannot be written. A later hook folds it in.
    ///
    /// # Errors
    /// The user's state folder cannot be written, or there are too many pending changes.
    pub fn leave(&self, changes: &[Change]) -> Result<(), StoreError> {
        let spool = self.spool()?;
        if spool.names().len() >= LEFT_MAX {
            return Err(StoreError::Busy { path: spool.path("") });
        }
        spool::write(&spool, changes)
    }

    /// Folds in pending changes.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn fold(&self) -> Result<(), StoreError> {
        if !spool::is_waiting(&self.spool()?) {
            return Ok(());
        }
        let _lock = self.lock(Folder::Historian)?;
        fold::fold(self)
    }

    /// Returns the files that were set aside as damaged since the last call.
    pub fn take_kept_aside(&self) -> Vec<PathBuf> {
        self.kept_aside.take()
    }

    /// The folder of ledger, nodes, packets and memory, in the project.
    pub fn historian(&self) -> &Files {
        &self.historian
    }

    /// The folder of manifest, cursor and the project's settings.
    pub fn court(&self) -> &Files {
        &self.court
    }

    /// One of the folders.
    ///
    /// # Errors
    /// [`StoreError::NoState`] for the user's folders if there is no state folder.
    pub fn files(&self, folder: Folder) -> Result<&Files, StoreError> {
        match folder {
            Folder::Historian => Ok(&self.historian),
            Folder::Court => Ok(&self.court),
            Folder::State => self.state.as_ref().ok_or(StoreError::NoState),
            Folder::Grants => self.grants.as_ref().ok_or(StoreError::NoState),
        }
    }

    fn spool(&self) -> Result<Files, StoreError> {
        Ok(self.files(Folder::Grants)?.inner(SPOOL))
    }

    fn lock(&self, folder: Folder) -> Result<Lock, StoreError> {
        Lock::take(self.files(folder)?, self.deadline)
    }

    fn update_locked<T: Record, R>(
        &self,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, StoreError> {
        let files = self.files(T::FOLDER)?;
        let mut record = self.load_locked::<T>()?;
        let result = change(&mut record);
        let dropped = record.bound();
        disk::save(files, &record)?;
        disk::archive::<T>(files, &dropped)?;
        Ok(result)
    }

    fn load_locked<T: Record>(&self) -> Result<T, StoreError> {
        let files = self.files(T::FOLDER)?;
        match disk::load::<T>(files)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => {
                let aside = disk::keep_aside(files, T::NAME)?;
                self.kept_aside.borrow_mut().push(aside);
                Ok(T::default())
            }
        }
    }
}
