//! What the repository's history says of its files: the words of the commits that touched each, and
//! which files were changed together. It is made behind an answer and never waited for: without it, or
//! with an old one, the ranking does without what it lacks.
//!
//! Absent: how much it counts, which is the ranking's business.

pub(crate) mod behind;
pub(crate) mod file;
pub(crate) mod follow;
mod ledger;
mod stamp;

/// Where it lies in the folder of an index.
pub(crate) const FOLDER: &str = "git";
pub(crate) const FILE: &str = "past";
