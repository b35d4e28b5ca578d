//! Objective nodes: what a sub-agent really did, from what the client returns and from the
//! sub-agent's own record. Its words are kept beside that, as a report about itself, and count for
//! no number.
//!
//! A sub-agent in the background ends after its call: the call is remembered as a launch, and the
//! node is made at its end. The client says "completed" also of a sub-agent whose request to the
//! model failed; that is seen here and called an error.

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
