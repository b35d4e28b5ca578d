//! Records which content of which file a session has read, so that changes by others are noticed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// The files that were read or written by the tools of a session.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// By path, with links resolved.
    versions: Mutex<HashMap<PathBuf, Version>>,
}

/// A content. Timestamps are not used: a file with the same content is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    size: usize,
    digest: [u8; 32],
}

/// The state of a file compared with what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The file was not read in this session.
    Unread,
    /// It has the content that was last read or written.
    Unchanged,
    /// It has another content.
    Changed,
}

impl Seen {
    /// Records the content of a file that was shown or written.
    pub(super) fn saw(&self, real: &Path, bytes: &[u8]) {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.insert(real.to_owned(), Version::of(bytes));
    }

    /// Compares a content with the last recorded one.
    pub(super) fn known(&self, real: &Path, bytes: &[u8]) -> Known {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        match versions.get(real) {
            None => Known::Unread,
            Some(version) if version.size == bytes.len() && *version == Version::of(bytes) => {
                Known::Unchanged
            }
            Some(_) => Known::Changed,
        }
    }
}

impl Version {
    fn of(bytes: &[u8]) -> Self {
        Self { size: bytes.len(), digest: Sha256::digest(bytes).into() }
    }
}
