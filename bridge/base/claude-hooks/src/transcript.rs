//! A session's transcript: one JSON object per line, read from its end, because only the newest lines matter
//! and the whole may have gigabytes.
//!
//! The transcript lags behind: when a hook runs after a tool, the tool's result is not in it yet, and
//! at a stop the final message may be missing (client 2.1.197). The hook's own input takes
//! precedence.

mod entry;
mod tail;

pub use entry::{Block, Entry, Role, Usage};
pub use tail::{LINE_MAX, Tail};
