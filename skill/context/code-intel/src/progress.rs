//! How far the reading of a tree has come.

/// Is told how far reading has come: files read, files to read.
pub type Progress<'p> = &'p (dyn Fn(usize, usize) + Sync);
