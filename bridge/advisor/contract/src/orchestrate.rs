//! A turn of the user's own Codex: the body of `POST /orchestrate`, and the report in the response.
//! `prompt` puts context before a prompt; [`report`] has the types of the orchestrator's report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::id::ThreadId;
use crate::input::Options;

mod carried;
pub mod identity;
pub mod kept;
mod parse;
pub mod parts;
pub mod report;

pub use carried::{Answered, CONTINUITY_LOST, Orchestration, TurnReport};
pub use parse::parse_orchestrate;

/// A request for one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrchestrateInput {
    /// What the user typed; never blank.
    pub prompt: String,
    /// Absolute path of the folder in which Codex works.
    pub workspace: PathBuf,
    /// The thread to continue; present exactly with [`Mode::Resume`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// Whether to start a new thread or to continue one.
    pub mode: Mode,
    /// The orchestrator's report for the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<Orchestration>,
    /// Sandbox of Codex's commands; if absent, the maximum that the operator allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// Limits and options of this turn.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub options: Options,
}

/// How Codex is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A new thread: `codex exec`.
    Exec,
    /// Continue a thread: `codex exec resume`.
    Resume,
}

/// Sandbox of Codex's commands in a turn. Wider access cannot be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// Read files only.
    ReadOnly,
    /// Also write below the workspace, if the operator allows it.
    WorkspaceWrite,
}

impl OrchestrateInput {
    /// The text put before the prompt; may be empty.
    #[must_use]
    pub fn context(&self) -> &str {
        self.orchestration.as_ref().map_or("", Orchestration::additional_context)
    }

    /// Whether the report is only a plan, for which Codex is not started.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.orchestration.as_ref().is_some_and(Orchestration::is_plan)
    }
}
