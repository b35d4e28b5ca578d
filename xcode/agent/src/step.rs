//! A step: one answer of the model, and what comes of its calls.

pub(crate) mod calls;
pub(crate) mod failure;
pub(crate) mod reply;
