//! A session's record: one JSON object a line, read from its end, because only the newest counts
//! and the whole may be gigabytes.
//!
//! The record lags behind: when a hook runs after a tool, the tool's result is not in it yet, and
//! at a stop the final statement may be missing (client 2.1.197). What the hook's own input says
//! counts more.

mod entry;
mod tail;

pub use entry::{Block, Entry, Role, Usage};
pub use tail::{LINE_MAX, Tail};
