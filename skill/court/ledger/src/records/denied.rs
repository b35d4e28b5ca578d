//! `denied.json` in the user's state folder: calls that the court denied and whose end was not seen yet. What
//! becomes of them tells whether denials hold.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// The most calls that are kept; the oldest go first.
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
    /// What denied it.
    pub by: DeniedBy,
}

/// What denied a call.
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
