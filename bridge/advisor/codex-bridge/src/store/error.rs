//! Errors of the store, by what a caller can do about them.

use std::io;
use std::path::PathBuf;

use contract::id::RunId;

use super::record::Damage;

/// Why an operation failed. It has stored nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk or the quota is full.
    #[error("the disk is full")]
    Full {
        /// SQLite's error.
        #[source]
        source: rusqlite::Error,
    },
    /// The file cannot be read or written now, or another process has locked it.
    #[error("the state file cannot be read or written")]
    Io {
        /// SQLite's error.
        #[source]
        source: rusqlite::Error,
    },
    /// The file does not contain what we wrote. The next start quarantines it.
    #[error("the state file is damaged")]
    Corrupt {
        /// SQLite's error.
        #[source]
        source: rusqlite::Error,
    },
    /// The statement was refused, which is a bug.
    #[error("the statement was refused")]
    Statement {
        /// SQLite's error.
        #[source]
        source: rusqlite::Error,
    },
    /// No run has this id.
    #[error("no such run: {run_id}")]
    UnknownRun {
        /// The requested id.
        run_id: RunId,
    },
    /// The run has already ended.
    #[error("run {run_id} has ended before")]
    AlreadyEnded {
        /// The run.
        run_id: RunId,
    },
    /// Too many queries are waiting, or this one took too long.
    #[error("too much is asked of the store at once")]
    Busy,
    /// The store was closed, or its thread has died.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether the medium failed, so that the operation may succeed later.
    #[must_use]
    pub fn is_medium(&self) -> bool {
        matches!(self, Self::Full { .. } | Self::Io { .. })
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        match &source {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..) => return Self::Corrupt { source },
            _ => {}
        }
        match source.sqlite_error_code() {
            Some(Code::DiskFull) => Self::Full { source },
            Some(
                Code::SystemIoFailure
                | Code::ReadOnly
                | Code::CannotOpen
                | Code::PermissionDenied
                | Code::OutOfMemory
                | Code::DatabaseBusy
                | Code::DatabaseLocked,
            ) => Self::Io { source },
            Some(Code::OperationInterrupted) => Self::Busy,
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => Self::Corrupt { source },
            _ => Self::Statement { source },
        }
    }
}

/// Why the store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another daemon uses this state folder.
    #[error("{path} is in use by another codex-bridge{}; end it with `codex-bridge stop`, or choose another folder with --state-dir", pid.map_or(String::new(), |pid| format!(" (pid {pid})")))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// The daemon's process id, if it could be read.
        pid: Option<u32>,
    },
    /// The folder or a file in it cannot be used.
    #[error("cannot use {path}")]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// A newly created database is damaged as well.
    #[error("{path} is damaged")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        #[source]
        source: Damage,
    },
    /// The database could not be opened or created, although it is not damaged.
    #[error("cannot open {path}")]
    Database {
        /// The file.
        path: PathBuf,
        /// The error.
        #[source]
        source: StoreError,
    },
}
