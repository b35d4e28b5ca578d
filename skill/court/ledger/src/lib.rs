//! The records of the work on a project: the ledger of risks, decisions and tasks, the nodes of
//! what agents did, and fact packets, with their files below `.claude/historian` and `.court` of
//! the project and in the user's state folder.
//!
//! Not here: hooks, a client, a transcript, decisions that depend on a clock. It does not know where the facts come
//! from: the court takes them from Claude Code's transcript, another host from its own execution.

pub mod clock;
pub mod manifest;
pub mod packet;
pub mod places;
pub mod records;
pub mod sanitize;
pub mod store;
