//! What the repository's history tells about its files: the words of the commits that changed each file, and
//! which files were changed together. It is built in the background after an answer, and no answer waits for it:
//! with no history, or an old one, the ranking works without the missing part.
//! Not here: how much history counts, which the ranking decides.

pub(crate) mod behind;
pub(crate) mod file;
pub(crate) mod follow;
mod ledger;
mod stamp;

/// The history's folder inside an index's folder.
pub(crate) const FOLDER: &str = "git";
pub(crate) const FILE: &str = "past";
