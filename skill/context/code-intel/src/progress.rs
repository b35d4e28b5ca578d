//! Reports the progress of reading a tree.

/// Called with the number of files read, and of files to read.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);
