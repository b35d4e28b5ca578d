//! A turn of the user's own Codex: the body of `POST /orchestrate`, and the report that answers it.
//! How context stands before a prompt is in `prompt`, what the orchestrator says in [`report`].

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

/// One turn to be played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrchestrateInput {
    /// What the user typed; never blank.
    pub prompt: String,
    /// Absolute path of the folder in which Codex works.
    pub workspace: PathBuf,
    /// The thread to go on in; present exactly with [`Mode::Resume`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// A new thread, or an old one.
    pub mode: Mode,
    /// What the orchestrator found for the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orchestration: Option<Orchestration>,
    /// What Codex may do; absent: as much as the operator allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// Bounds and choices for this turn only.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub options: Options,
}

/// How Codex is to be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// A new thread: `codex exec`.
    Exec,
    /// An old thread goes on: `codex exec resume`.
    Resume,
}

/// What Codex may do with files in a turn. More than this cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sandbox {
    /// Read them.
    ReadOnly,
    /// Write below the workspace as well, where the operator allows it.
    WorkspaceWrite,
}

impl OrchestrateInput {
    /// What stands before the prompt; empty where there is nothing.
    #[must_use]
    pub fn context(&self) -> &str {
        self.orchestration.as_ref().map_or("", Orchestration::additional_context)
    }

    /// Whether only a plan was made, so that Codex is not to be started.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        self.orchestration.as_ref().is_some_and(Orchestration::is_plan)
    }
}
