//! The orchestrator: derives a plan from a prompt, runs the plan's read-only tools within a budget,
//! and builds a report from their findings, masked and fenced, that a client may put before the prompt.
//!
//! The modules are listed in the order in which a prompt passes through them; [`mod@orchestrate`] calls
//! them. The orchestrator never calls a model, starts no Codex, writes nothing into the repository, and
//! never blocks a prompt: whatever happens, it prints a report.

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
