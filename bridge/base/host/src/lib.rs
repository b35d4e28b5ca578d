//! This machine, as all our programs see it: files below a folder that may hold links of somebody
//! else, and folders that belong to this user alone.
//!
//! No product, no network, no process.

pub mod beneath;
pub mod own;

pub use beneath::{Beneath, IGNORE_ALL, IGNORE_FILE, Link, NotPrivate};
