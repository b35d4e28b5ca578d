//! The fact packet: what happened in a turn, made by code alone from the session's record, from git,
//! from the ledger and from the objective nodes. No model has a word in it but the final statement,
//! which is marked as one.
//!
//! Making a packet is total: what cannot be had is left out and named in `meta.limits`.

mod build;
mod changes;
mod on_event;

pub use build::{Sources, build};
pub use changes::{Changes, Log, base, changes, log};
pub use ledger::packet::{BYTES_MAX, CALLS, FOLDER, name, newest, numbers};
pub use on_event::{session_start, stop};

#[cfg(test)]
mod tests;
