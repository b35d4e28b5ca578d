//! `denied.json` in the user's state folder: denied calls whose end was not observed yet. Whether they
//! still run tells whether denials are effective.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// Maximum number of stored calls; the oldest are dropped.
const KEPT_MAX: usize = 200;

/// The calls, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Denied {
    /// The version of this format.
    pub version: u32,
    /// The calls.
    pub calls: Vec<DeniedCall>,
}

/// A call that was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedCall {
    /// The session it was made in.
    pub session_id: String,
    /// The client's id of the call.
    pub tool_use_id: String,
    /// The tool, for the message.
    pub tool: String,
    /// The rule that denied it.
    pub by: DeniedBy,
}

/// The kind of rule that denied a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeniedBy {
    /// The gate, or the rule that guards the court's own commands.
    Gate,
    /// The manifest's phase.
    Phase,
}

impl Default for Denied {
    fn default() -> Self {
        Self { version: VERSION, calls: Vec::new() }
    }
}

impl Record for Denied {
    const FOLDER: Folder = Folder::Grants;
    const NAME: &'static str = "denied.json";
    const BYTES_MAX: u64 = 1 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        self.calls.drain(..self.calls.len().saturating_sub(KEPT_MAX));
        Vec::new()
    }
}
