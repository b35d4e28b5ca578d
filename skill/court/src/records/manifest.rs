//! `manifest.json`: which tools each phase of a task may use. Written by the user; only read here,
//! but for the current phase.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Folder, Record};

/// The manifest of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// The task.
    pub task_id: String,
    /// Its phases.
    pub phases: Phases,
    /// Rules that hold in every phase.
    #[serde(default)]
    pub global_rules: Vec<String>,
}

/// The phases of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phases {
    /// The phase that is on.
    pub current: String,
    /// What each allows.
    pub definitions: BTreeMap<String, PhaseRules>,
}

/// What a phase allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseRules {
    /// Names of tools; `*` at the end stands for anything.
    pub allowed_tools: Vec<String>,
    /// What skills are for, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skill_summaries: BTreeMap<String, String>,
    /// The MCP servers whose tools may be used; absent: what `allowed_tools` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_visibility: Option<Vec<String>>,
}

impl Record for Manifest {
    const FOLDER: Folder = Folder::Court;
    const NAME: &'static str = "manifest.json";
    const BYTES_MAX: u64 = 1 << 20;
}
