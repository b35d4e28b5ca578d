//! The manifest: which segments count, and which of their files are dead or were only touched. One
//! line with a checksum, then JSON. A manifest that is not whole counts as none.

use serde::{Deserialize, Serialize};

use super::store::SEGMENT;
use crate::answer::INDEX_VERSION;

/// What the index consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The folder that the index is about.
    pub(crate) root: String,
    /// The segments, oldest first.
    pub(crate) segments: Vec<Part>,
    /// Goes up with each change.
    pub(crate) generation: u64,
    /// How many files are known to be missing from the index because time was over.
    pub(crate) pending: usize,
    /// How long the last build or update took, in milliseconds.
    pub(crate) update_ms: u64,
    /// How long the first build took, all its parts together, in milliseconds.
    pub(crate) build_ms: u64,
    /// When the index last changed, in seconds since 1970.
    pub(crate) updated_s: u64,
}

/// One segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its file's name.
    pub(crate) file: String,
    /// Positions of files that a later segment replaces, or that are gone. Sorted.
    pub(crate) dead: Vec<u32>,
    /// Files with another stamp than the segment has, and the same content. Sorted by position.
    pub(crate) touched: Vec<(u32, u64)>,
}

impl Manifest {
    /// The bytes of the manifest's file.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let body = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = format!("{}\n", head(&body)).into_bytes();
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The manifest in these bytes, when they are whole, of this version and about `root`.
    pub(crate) fn decode(bytes: &[u8], root: &str) -> Option<Self> {
        Self::read(bytes).filter(|manifest| manifest.root == root)
    }

    /// The manifest in these bytes, when they are whole and of this version.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let (line, body) = (&bytes[..end], &bytes[end + 1..]);
        if line != head(body).as_bytes() {
            return None;
        }
        let manifest: Self = serde_json::from_slice(body).ok()?;
        let plain = |part: &Part| !part.file.contains('/') && part.file.ends_with(SEGMENT);
        manifest.segments.iter().all(plain).then_some(manifest)
    }
}

fn head(body: &[u8]) -> String {
    format!("code-intel {INDEX_VERSION} {:08x}", crc32fast::hash(body))
}
