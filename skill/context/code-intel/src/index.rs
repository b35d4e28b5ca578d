//! The index on disk: segments that never change, and one small manifest that says which of them count.
//!
//! A segment holds what some files say: words, definitions, references, imports. A change makes a new
//! segment and marks what it replaces as dead; small segments are merged when there are many. The
//! manifest is replaced by a rename, so that a reader sees the old state or the new one. Everything is
//! read through bounds-checked slices: a damaged file gives a wrong answer at worst, and its checksum
//! sees to it that it is thrown away instead.

pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod draft;
mod ignored;
pub(crate) mod manifest;
pub(crate) mod segment;
pub(crate) mod store;
pub(crate) mod update;
pub(crate) mod walk;
