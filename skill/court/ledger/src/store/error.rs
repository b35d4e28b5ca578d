//! Errors of the court's store.

use std::io;
use std::path::PathBuf;

use crate::records::VERSION;

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or the file cannot be read or written.
    #[error("{} cannot be used: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The system's error.
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
    /// The file is malformed. It is left in its place.
    #[error("{} cannot be read as what it should be", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// A component of the path is a link.
    #[error("{} is a symbolic link and is not followed", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is no folder for the user's own data.
    #[error("there is no state folder: neither XDG_STATE_HOME nor HOME is an absolute path")]
    NoState,
}
