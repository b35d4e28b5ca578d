//! The errors of journals, one variant for each way to handle them.

use std::io;
use std::path::PathBuf;

use contract::id::SessionId;

/// Why a journal cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// This workspace has no session.
    #[error("this folder has no session to go on with")]
    NoSession,
    /// The sessions of this workspace were begun by another user or on another machine.
    #[error(
        "no session of this folder was begun by you on this machine; {id} came with it, and `--resume {id}` goes on with it"
    )]
    Brought {
        /// The last one.
        id: SessionId,
    },
    /// There is no such session.
    #[error("there is no session {id} here")]
    Unknown {
        /// The requested session.
        id: SessionId,
    },
    /// Another process has it open.
    #[error(
        "the session {id} is open in {}; `--fork` goes on with a copy of it",
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    Live {
        /// The session.
        id: SessionId,
        /// The process, if the journal names it.
        pid: Option<u32>,
    },
    /// Its format is newer than this version reads.
    #[error("{} has the format {schema:?}, which a newer version of xc writes", path.display())]
    Newer {
        /// The journal.
        path: PathBuf,
        /// The format.
        schema: String,
    },
    /// Its first line is not a header: the file is no journal, or was truncated when it was created.
    #[error("{} does not begin as a journal does", path.display())]
    NoHeader {
        /// The journal.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{} cannot be read", path.display())]
    Read {
        /// The journal.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The disk is full. The session can continue in memory.
    #[error("the disk is full: {} is not written", path.display())]
    Full {
        /// The journal, or the summary beside it.
        path: PathBuf,
    },
    /// It cannot be written. The session can continue in memory.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The journal, or the summary beside it.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
}

impl JournalError {
    pub(crate) fn read(path: PathBuf, source: io::Error) -> Self {
        Self::Read { path, source }
    }

    pub(crate) fn write(path: PathBuf, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
            _ => Self::Write { path, source },
        }
    }
}
