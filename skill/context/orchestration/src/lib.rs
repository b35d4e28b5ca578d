//! The protocol between the orchestrator and its callers: the request on its standard input, the report
//! on its standard output, its exit codes, the environment variables and the settings that both
//! read, and the fixed texts of `[Limits]`.
//!
//! The report itself is in `contract::orchestrate`, because the bridge transmits it too; this crate re-exports
//! its types as [`report`], [`identity`] and [`kept`].
//!
//! By design there is no I/O except reading a request, there are no processes, and no decisions about a prompt.

pub mod exit;
pub mod limits;
pub mod request;
pub mod settings;
pub mod variables;

pub use contract::orchestrate::{identity, kept, parts, report};

/// The orchestrator's program.
pub const PROGRAM: &str = "auto-tool-orchestrator";
