//! The hash of a content, used by the index and the file of words.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

/// The hash of a content, to detect changes; not collision-resistant against an attacker.
#[must_use]
pub fn content_hash(content: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(content);
    hasher.write_usize(content.len());
    hasher.finish()
}
