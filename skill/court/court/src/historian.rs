//! The historian: a sub-agent that reviews what was done. Its prompt is made by code from the ledger,
//! git, the newest fact packet and the objective nodes; it is kept going while there is something left
//! that it has not seen; its words become advice, risks and memory.
//!
//! It supervises in two layers: a quick scan of every node's numbers, and a deep look into the record
//! of each node that the scan finds abnormal.
//!
//! Absent: what the model behind it thinks.

mod advice;
mod block;
mod deep;
mod memory;
mod on_event;
mod prompt;
mod round;
mod scan;
pub(crate) mod stand_in;
mod verdict;

pub use on_event::{advise, broke, called, returned, stops};
pub use stand_in::is_review;

#[cfg(test)]
mod tests;
