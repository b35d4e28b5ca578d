//! The tools, one file each.
