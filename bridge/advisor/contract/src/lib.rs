//! The wire types of the advisor protocol, their validators and limits.
//!
//! This crate contains data types and pure functions only. It does no I/O, starts no process, and does not know
//! HTTP status codes or process exit codes.
//!
//! A text is handled in four steps: `document` parses it, the compiled
//! [`schema`] validates its structure, `explain` puts every violation into words, and `rules` adds the rules that a
//! schema cannot express. [`input::parse_input`] and [`advice::parse_advice`] combine these steps.

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
