//! The files of the court on disk. A read takes no lock: files are only ever replaced whole. A write
//! is one lock, read, change, replace. What must never be lost goes through [`Store::record`]: the
//! change is written down as a file of its own first, and folded into ledger and nodes by whoever
//! next holds the lock.
//!
//! A damaged file is kept aside as `NAME.corrupt-N`. A folder that cannot be written gives an
//! error, and the caller goes on without. Absent: what the files mean.

mod change;
mod disk;
mod fold;
mod lock;
mod spool;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::places::Places;
use crate::records::{Folder, Record, VERSION};

pub use change::{Change, Origin};
pub use disk::replace;
use lock::Lock;

/// The files of one project.
#[derive(Debug)]
pub struct Store {
    historian: PathBuf,
    court: PathBuf,
    /// When a wait for the lock is given up.
    deadline: Instant,
    /// Files that were found damaged and kept aside, for whoever tells the user.
    kept_aside: RefCell<Vec<PathBuf>>,
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or the file cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process held the lock until the deadline.
    #[error("{} is held by another process", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// The file was written by a newer version of this program.
    #[error("{} has version {found}; this program knows {VERSION}", path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// One of the court's folders is a link, which may lead anywhere.
    #[error("{} is a symbolic link and is not followed", path.display())]
    Link {
        /// The folder.
        path: PathBuf,
    },
}

impl Store {
    /// The files of a project; nothing is touched yet.
    pub fn new(places: &Places, deadline: Instant) -> Self {
        Self {
            historian: places.historian(),
            court: places.court(),
            deadline,
            kept_aside: RefCell::default(),
        }
    }

    /// Reads a file; an absent one is empty. A damaged one is kept aside and counts as empty.
    ///
    /// # Errors
    /// [`StoreError::TooNew`], and [`StoreError::Io`] when the file is there and cannot be read.
    pub fn read<T: Record>(&self) -> Result<T, StoreError> {
        let path = self.path::<T>();
        match disk::load::<T>(&path)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => {
                // Without the lock it may just have been mended; look again with it.
                if let Ok(_lock) = self.lock(T::FOLDER) {
                    return self.load_locked::<T>(&path);
                }
                Ok(T::default())
            }
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
    /// [`StoreError::Io`] or [`StoreError::Link`] when it could not be written down at all.
    pub fn record(&self, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        self.prepare(Folder::Historian)?;
        spool::write(&self.historian, changes)?;
        match self.fold() {
            // It waits where it was written down; the next one folds it in.
            Err(StoreError::Busy { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Folds in what waits.
    ///
    /// # Errors
    /// As [`Store::update`].
    pub fn fold(&self) -> Result<(), StoreError> {
        if !spool::is_waiting(&self.historian) {
            return Ok(());
        }
        let _lock = self.lock(Folder::Historian)?;
        fold::fold(self)
    }

    /// Takes the files that were found damaged since the last look.
    pub fn take_kept_aside(&self) -> Vec<PathBuf> {
        self.kept_aside.take()
    }

    /// The folder of ledger, nodes, packets and memory.
    pub fn historian(&self) -> &Path {
        &self.historian
    }

    /// The folder of manifest, cursor and reviews.
    pub fn court(&self) -> &Path {
        &self.court
    }

    /// Makes a folder of the court if it is absent.
    ///
    /// # Errors
    /// [`StoreError::Io`] or [`StoreError::Link`].
    pub fn prepare(&self, folder: Folder) -> Result<&Path, StoreError> {
        let path = self.folder(folder);
        for part in [path.parent().unwrap_or(path), path] {
            let is_link = fs::symlink_metadata(part).is_ok_and(|found| found.is_symlink());
            if is_link {
                return Err(StoreError::Link { path: part.to_path_buf() });
            }
            // `.court` lies in the project itself, whose root may be a link.
            if folder == Folder::Court {
                break;
            }
        }
        let failed = |source| StoreError::Io { path: path.to_path_buf(), source };
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(StoreError::Link { path: path.to_path_buf() });
        }
        if !path.is_dir() {
            fs::create_dir_all(path).map_err(failed)?;
        }
        Ok(path)
    }

    fn folder(&self, folder: Folder) -> &Path {
        match folder {
            Folder::Historian => &self.historian,
            Folder::Court => &self.court,
        }
    }

    fn path<T: Record>(&self) -> PathBuf {
        self.folder(T::FOLDER).join(T::NAME)
    }

    fn lock(&self, folder: Folder) -> Result<Lock, StoreError> {
        Lock::take(&self.prepare(folder)?.join(".lock"), self.deadline)
    }

    fn update_locked<T: Record, R>(
        &self,
        change: impl FnOnce(&mut T) -> R,
    ) -> Result<R, StoreError> {
        let path = self.path::<T>();
        let mut record = self.load_locked::<T>(&path)?;
        let result = change(&mut record);
        let dropped = record.bound();
        disk::save(&path, &record)?;
        disk::archive(&path, &dropped)?;
        Ok(result)
    }

    fn load_locked<T: Record>(&self, path: &Path) -> Result<T, StoreError> {
        match disk::load::<T>(path)? {
            disk::Loaded::Absent => Ok(T::default()),
            disk::Loaded::Whole(record) => Ok(record),
            disk::Loaded::Damaged => {
                let aside = disk::keep_aside(path)?;
                self.kept_aside.borrow_mut().push(aside);
                Ok(T::default())
            }
        }
    }
}
