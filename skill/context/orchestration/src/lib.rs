//! The protocol between the orchestrator and its callers: the request on its standard input, the report
//! on its standard output, its exit codes, the environment variables and the settings that both sides
//! read, and the fixed texts of `[Limits]`.
//!
//! The report itself is in `contract::orchestrate`, because the bridge carries it too; this crate hands
//! its types on as [`report`], [`identity`] and [`kept`].
//!
//! Absent by design: I/O but for reading a request, processes, and decisions about a prompt.

pub mod exit;
pub mod limits;
pub mod request;
pub mod settings;
pub mod variables;

pub use contract::orchestrate::{identity, kept, parts, report};

/// The orchestrator's program.
pub const PROGRAM: &str = "auto-tool-orchestrator";
