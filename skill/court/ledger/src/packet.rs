//! The fact packet: what happened in a turn, made by code alone, for any client. No model has a word in it
//! but the final statement, which is marked as one.
//!
//! Making a packet is total: what cannot be had is left out and named in `meta.limits`.

mod build;
mod storage;
#[cfg(test)]
mod tests;

pub use build::{CALLS, Turn, build};
pub use storage::{BYTES_MAX, FOLDER, name, newest, next_seq, numbers, prune, write};
