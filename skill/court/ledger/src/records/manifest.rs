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
    /// Rules of all phases.
    #[serde(default)]
    pub global_rules: Vec<String>,
    /// The SHA-256 of the file, which the user accepts.
    #[serde(skip)]
    pub digest: String,
}

/// The phases of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Phases {
    /// The current phase.
    pub current: String,
    /// The rules of each phase.
    pub definitions: BTreeMap<String, PhaseRules>,
}

/// The rules of a phase.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PhaseRules {
    /// Names of tools; a final `*` is a wildcard.
    pub allowed_tools: Vec<String>,
    /// Purposes of skills, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skill_summaries: BTreeMap<String, String>,
    /// The MCP servers whose tools may be used; if absent, `allowed_tools` decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp_visibility: Option<Vec<String>>,
}

impl Manifest {
    /// The rules of the current phase.
    pub fn rules(&self) -> Option<&PhaseRules> {
        self.phases.definitions.get(&self.phases.current)
    }
}

impl Record for Manifest {
    const FOLDER: Folder = Folder::Court;
    const NAME: &'static str = "manifest.json";
    const BYTES_MAX: u64 = 1 << 20;
}
