//! The historian: a sub-agent that reviews the work. Its prompt is built by code from the ledger,
//! git, the newest fact packet and the objective nodes; it is continued while there is something
//! that it has not seen; its answer becomes advice, risks and memory.
//!
//! Supervision has two layers: a quick scan of every node's metrics, and a closer look into the transcript
//! of each node that the scan marks as abnormal.
//!
//! Not here: the model's reasoning.

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
