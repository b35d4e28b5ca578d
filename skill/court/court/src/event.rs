//! One call as the parts of the court see it: [`HookContext`] is what is known of it, [`ResponseBuilder`] gathers what they
//! say to it, and `outlet` says it once. Absent: which part hears which event.

mod context;
pub(crate) mod responder;
mod response;

pub use context::HookContext;
pub use response::{Decision, ResponseBuilder};
