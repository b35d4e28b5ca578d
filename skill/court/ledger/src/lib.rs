//! What is remembered of the work on a project: the ledger of what must not be forgotten, the nodes of
//! what agents did, fact packets, and the files they lie in, below `.claude/historian` and `.court` of
//! the project and in the user's state folder.
//!
//! Absent: hooks, a client, a transcript, a clock of its own decisions. It knows what is written, not who
//! saw it happen: the court writes what Claude Code's record says, another host what it ran itself.

pub mod clock;
pub mod manifest;
pub mod packet;
pub mod places;
pub mod records;
pub mod sanitize;
pub mod store;
