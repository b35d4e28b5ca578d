//! One call as the parts of the court see it: [`Hearing`] is what is known of it, [`Reply`] gathers what they
//! say to it, and `outlet` says it once. Absent: which part hears which event.

mod hearing;
pub(crate) mod outlet;
mod reply;

pub use hearing::Hearing;
pub use reply::{Decision, Reply};
