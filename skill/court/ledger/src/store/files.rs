//! Access to one folder of the court. Links are never followed: see [`host::beneath`].

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use host::{Beneath, Link};

use super::error::StoreError;

/// A folder.
#[derive(Debug, Clone)]
pub struct Files {
    beneath: Beneath,
    /// Its path relative to that; empty for the folder itself.
    folder: PathBuf,
}

impl Files {
    /// The folder at a relative path.
    pub fn new(beneath: Beneath, folder: impl Into<PathBuf>) -> Self {
        Self { beneath, folder: folder.into() }
    }

    /// A folder in this one.
    pub fn inner(&self, name: &str) -> Self {
        Self { beneath: self.beneath.clone(), folder: self.folder.join(name) }
    }

    /// The path of a file in the folder, for messages.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.beneath.path().join(&self.folder).join(name)
    }

    /// A file's content; `None` if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Link`], and [`StoreError::Io`], also for a file longer than `max`.
    pub fn read(&self, name: impl AsRef<Path>, max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let name = name.as_ref();
        let read = || {
            let file = match self.open(name) {
                Err(error) if is_absent(&error) => return Ok(None),
                opened => opened?,
            };
            let mut bytes = Vec::new();
            let length = file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
            if length as u64 > max {
                let why = format!("is longer than {max} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            Ok(Some(bytes))
        };
        read().map_err(|error| self.failed(name, error))
    }

    /// Opens a regular file.
    ///
    /// # Errors
    /// The file system's error, or a link.
    pub fn open(&self, name: impl AsRef<Path>) -> io::Result<File> {
        self.beneath.open(self.folder.join(name))
    }

    /// Opens a regular file with one hard link for appending.
    ///
    /// # Errors
    /// [`StoreError::Io`] and [`StoreError::Link`].
    pub fn append(&self, name: impl AsRef<Path>) -> Result<File, StoreError> {
        let opened = self.beneath.append(self.folder.join(name.as_ref()));
        opened.map_err(|error| self.failed(name.as_ref(), error))
    }

    /// Opens a file to lock it.
    pub(super) fn lock_file(&self, name: &str) -> Result<File, StoreError> {
        let opened = self.beneath.lock_file(self.folder.join(name));
        opened.map_err(|error| self.failed(Path::new(name), error))
    }

    /// Replaces a file atomically, and creates the folder.
    ///
    /// # Errors
    /// [`StoreError::Io`] and [`StoreError::Link`]; the old file is unchanged.
    pub fn replace(&self, name: impl AsRef<Path>, bytes: &[u8]) -> Result<(), StoreError> {
        let replaced = self.beneath.replace(self.folder.join(name.as_ref()), bytes);
        replaced.map_err(|error| self.failed(name.as_ref(), error))
    }

    /// Removes a file; no error if it does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`] and [`StoreError::Link`].
    pub fn remove(&self, name: impl AsRef<Path>) -> Result<(), StoreError> {
        let removed = self.beneath.remove(self.folder.join(name.as_ref()));
        removed.map_err(|error| self.failed(name.as_ref(), error))
    }

    /// Renames a file in the folder.
    ///
    /// # Errors
    /// The file system's error, or a link.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        self.beneath.rename(self.folder.join(from), self.folder.join(to))
    }

    /// Metadata of a name, of a link that of the link itself; `None` if it does not exist or cannot be read.
    pub fn metadata(&self, name: impl AsRef<Path>) -> Option<Metadata> {
        self.beneath.metadata(self.folder.join(name)).ok()
    }

    /// The names in the folder, in order; empty if it cannot be read.
    pub fn names(&self) -> Vec<OsString> {
        let mut names = self.beneath.names(&self.folder).unwrap_or_default();
        names.sort();
        names
    }

    /// Whether the folder exists.
    pub fn is_there(&self) -> bool {
        std::fs::symlink_metadata(self.path("")).is_ok()
    }

    /// Creates the folder if it is absent.
    ///
    /// # Errors
    /// [`StoreError::Io`] and [`StoreError::Link`].
    pub fn make(&self) -> Result<(), StoreError> {
        self.beneath.make(&self.folder).map_err(|error| self.failed(Path::new(""), error))
    }

    /// Converts an error of the file system.
    pub fn failed(&self, name: &Path, source: io::Error) -> StoreError {
        match source.get_ref().and_then(|inner| inner.downcast_ref::<Link>()) {
            Some(Link { path }) => StoreError::Link { path: path.clone() },
            None => StoreError::Io { path: self.path(name), source },
        }
    }
}

/// Whether the error means that the file does not exist.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
