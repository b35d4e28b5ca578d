//! `manifest.json`: which tools each phase of a task may use. It may come with
//! a clone; only the current phase is written here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record};

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
    /// The SHA-256 of the file: what the user accepts.
    #[serde(skip)]
    pub digest: String,
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

impl Manifest {
    /// The rules of the phase that is on.
    pub fn rules(&self) -> Option<&PhaseRules> {
        self.phases.definitions.get(&self.phases.current)
    }
}

impl Record for Manifest {
    const FOLDER: Folder = Folder::Court;
    const NAME: &'static str = "manifest.json";
    const BYTES_MAX: u64 = 1 << 20;
}
