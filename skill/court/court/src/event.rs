//! One hook call: [`HookContext`] is its input, [`ResponseBuilder`] collects the modules' responses,
//! and `responder` prints the result once. Not here: which module handles which event.

mod context;
pub(crate) mod responder;
mod response;

pub use context::HookContext;
pub use response::{Decision, ResponseBuilder};
