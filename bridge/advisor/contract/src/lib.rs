//! What may be said: the wire types of the advisor protocol, their validators and limits.
//!
//! This crate holds data and pure functions only. It does no I/O, starts nothing, and knows
//! neither HTTP status codes nor process exit codes: those are decided at the edges.
//!
//! A text goes through four steps: `document` reads it without losing anything, the compiled
//! [`schema`] judges its shape, `explain` puts every fault into words, and `rules` adds what a
//! schema cannot express. [`input::parse_input`] and [`advice::parse_advice`] put them together.

pub mod advice;
pub mod court;
pub mod event;
pub mod failure;
pub mod id;
pub mod input;
pub mod key;
pub mod limits;
pub mod orchestrate;
pub mod outcome;
pub mod readiness;
pub mod run;
pub mod schema;
pub mod window;
pub mod word;
pub mod workspace;
pub mod xc;

mod document;
mod explain;
mod meta;
mod phase;
mod pointer;
mod rules;
mod suggest;
