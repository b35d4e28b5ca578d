//! What a session read: which content of which file, so that a change by others is noticed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

/// The files that were read or written by the tools of a session.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// By place, without links.
    versions: Mutex<HashMap<PathBuf, Version>>,
}

/// A content. When a file was written does not count: one that holds the same again is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    size: usize,
    digest: [u8; 32],
}

/// What is known of a file's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// The file was not read in this session.
    Unread,
    /// It is as it was read or written last.
    Unchanged,
    /// It is not.
    Changed,
}

impl Seen {
    /// The content of a file was shown, or written.
    pub(super) fn saw(&self, real: &Path, bytes: &[u8]) {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.insert(real.to_owned(), Version::of(bytes));
    }

    /// Whether this content is the one that was seen last.
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
