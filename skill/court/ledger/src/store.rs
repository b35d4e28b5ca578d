//! The files of the court on disk. A read takes no lock: files are only ever replaced whole. A write
//! is one lock, read, change, replace. What must never be lost goes through [`Store::record`]: the
//! change is written down as a file of its own first, and folded into ledger and nodes by whichever
//! process next holds the lock.
//!
//! What the work shows lies in the project and is data: anybody may have written it. What grants
//! something, and the record of what the court wrote itself, lies in the user's state folder.
//!
//! A damaged file is kept aside as `NAME.corrupt-N`. A folder that cannot be written gives an
//! error, and the caller goes on without. Absent: what the files mean.

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

/// The folder of changes that wait, in the user's state folder of the project.
const SPOOL: &str = "spool";

/// How many changes may wait before no more are left there: they may never be folded in.
const LEFT_MAX: usize = 256;

/// The files of one project.
#[derive(Debug)]
pub struct Store {
    historian: Files,
    court: Files,
    /// None where the user has no state folder.
    state: Option<Files>,
    grants: Option<Files>,
    /// When a wait for the lock is given up.
    deadline: Instant,
    /// Files that were found damaged and kept aside, until the user is told.
    kept_aside: RefCell<Vec<PathBuf>>,
}

impl Store {
    /// The files of a project; nothing is touched yet.
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

    /// Reads a file; an absent one is empty. A damaged one is kept aside and counts as empty.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], and the others when the file is there and cannot be read.
    pub fn read<T: Record>(&self) -> Result<T, StoreError> {
        let files = self.files(T::FOLDER)?;
        match disk::load::<T>(files)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => {
                // Without the lock it may just have been mended; look again with it.
                if let Ok(_lock) = self.lock(T::FOLDER) {
                    return self.load_locked::<T>();
                }
                Ok(T::default())
            }
        }
    }

    /// Reads a file and leaves everything as it is; an absent one is empty.
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

    /// Changes a file under the lock and replaces it whole.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when the lock is held too long; the others as [`Store::read`]. Nothing
    /// was changed then.
    pub fn update<T: Record, R>(&self, change: impl FnOnce(&mut T) -> R) -> Result<R, StoreError> {
        let _lock = self.lock(T::FOLDER)?;
        self.update_locked(change)
    }

    /// Writes a change of ledger or nodes down, and folds it in with all that wait. Once this
    /// returns without an error the change is not lost, even if the fold has to wait for another
    /// process.
    ///
    /// # Errors
    /// All but [`StoreError::Busy`] when it could not be written down at all.
    pub fn record(&self, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        // Without a ledger to fold it into it would wait for ever.
        self.historian.make()?;
        spool::write(&self.spool()?, changes)?;
        match self.fold() {
            // It waits where it was written down; the next one folds it in.
            Err(StoreError::Busy { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Writes a change down without the lock and without a ledger: for what is said when the time is over or
    /// the ledger cannot be written. The next hook that can folds it in.
    ///
    /// # Errors
    /// When the user's state folder cannot be written, or too much waits there already.
    pub fn leave(&self, changes: &[Change]) -> Result<(), StoreError> {
        let spool = self.spool()?;
        if spool.names().len() >= LEFT_MAX {
            return Err(StoreError::Busy { path: spool.path("") });
        }
        spool::write(&spool, changes)
    }

    /// Folds in what waits.
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

    /// Takes the files that were found damaged since the last look.
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
    /// [`StoreError::NoState`] for those of the user where there is no state folder.
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
