//! The orchestrator: a prompt becomes a plan, the plan's read-only tools run within a budget,
//! and what they find becomes a report, masked and fenced, that a client may put before the prompt.
//!
//! The modules stand below in the order in which a prompt passes through them; [`mod@orchestrate`] leads
//! it. The orchestrator never talks to a model, starts no Codex, writes nothing into the repository, and
//! never fails in a way that could hold a prompt back: whatever happens, it prints a report.

pub mod clamp;
mod cli;
pub mod context;
pub mod control;
pub mod draft;
mod embedded;
pub mod environment;
pub mod fuse;
pub mod hosted;
pub mod limits;
mod mcp;
pub mod orchestrate;
pub mod outcome;
pub mod plan;
pub mod redaction;
pub mod run;
pub mod tool;
pub mod toolboxes;
pub mod trust;

pub use cli::main;
