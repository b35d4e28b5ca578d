//! Objective nodes: what a sub-agent really did, from the client's result and from the
//! sub-agent's own transcript. Its own text is stored beside that, as a self-report, and has no influence
//! on the metrics.
//!
//! A background sub-agent ends after its call: the call is stored as a launch, and the
//! node is created at its end. The client reports "completed" also for a sub-agent whose model request
//! failed; that is detected here and counts as an error.

mod measure;
mod on_event;
mod report;
mod returned;

pub use measure::{Seen, measure, writes};
pub use on_event::{Interrupted, api_failed, ended, failed, returned, session_ends};
pub use report::self_report;
pub use returned::Returned;

#[cfg(test)]
mod tests;
