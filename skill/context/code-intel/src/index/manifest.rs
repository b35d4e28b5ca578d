//! The manifest: the list of valid segments, with their dead and touched files. One
//! line with a checksum, then JSON. An incomplete manifest counts as absent.

use serde::{Deserialize, Serialize};

use super::store::SEGMENT;
use crate::answer::INDEX_VERSION;

/// The parts of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The repository's root.
    pub(crate) root: String,
    /// The segments, oldest first.
    pub(crate) segments: Vec<Part>,
    /// Incremented by each change.
    pub(crate) generation: u64,
    /// Number of files that are missing from the index because of the deadline.
    pub(crate) pending: usize,
    /// Duration of the last build or update, in milliseconds.
    pub(crate) update_ms: u64,
    /// Duration of the first build with all its parts, in milliseconds.
    pub(crate) build_ms: u64,
    /// Time of the last change, in seconds since 1970.
    pub(crate) updated_s: u64,
}

/// One segment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Its file's name.
    pub(crate) file: String,
    /// Positions of files that were replaced by a later segment or removed. Sorted.
    pub(crate) dead: Vec<u32>,
    /// Files with a new stamp but unchanged content. Sorted by position.
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

    /// The manifest in these bytes, if they are complete, of this version and for `root`.
    pub(crate) fn decode(bytes: &[u8], root: &str) -> Option<Self> {
        Self::read(bytes).filter(|manifest| manifest.root == root)
    }

    /// The manifest in these bytes, if they are complete and of this version.
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
