//! The hash of a content, as the index and the file of words have it.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// The hash of a content, to tell whether it changed; no defence against who wants two contents to look alike.
#[must_use]
pub fn content_hash(content: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(content);
    hasher.write_usize(content.len());
    hasher.finish()
}
