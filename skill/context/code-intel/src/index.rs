//! The index on disk: immutable segments, and one small manifest that lists the valid ones.
//!
//! A segment contains words, definitions, references and imports of some files. A change writes a new
//! segment and marks replaced files as dead; small segments are merged when there are many. The
//! manifest is replaced by a rename, so that a reader sees the old state or the new one. Everything is
//! read through bounds-checked slices: a damaged file gives a wrong answer at worst, and is normally
//! detected by its checksum and discarded.

pub(crate) mod build;
pub(crate) mod bytes;
pub(crate) mod draft;
mod ignored;
pub(crate) mod manifest;
pub(crate) mod segment;
pub(crate) mod store;
pub(crate) mod update;
pub(crate) mod walk;
