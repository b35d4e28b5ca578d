//! `cursor.json`: the current phase of the task, and its history.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// Maximum number of stored steps.
const STEPS_MAX: usize = 200;

/// The current phase of the task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// The version of this format.
    pub version: u32,
    /// The task of the manifest.
    pub task_id: Option<String>,
    /// The current phase.
    pub phase: Option<String>,
    /// The number of the last fact packet.
    pub packet_seq: u64,
    /// The phases so far, oldest first.
    pub steps: Vec<Step>,
}

/// A change of the phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The phase that began.
    pub phase: String,
    /// Its time, RFC 3339.
    pub at: String,
}

impl Default for Cursor {
    fn default() -> Self {
        Self { version: VERSION, task_id: None, phase: None, packet_seq: 0, steps: Vec::new() }
    }
}

impl Record for Cursor {
    const FOLDER: Folder = Folder::Court;
    const NAME: &'static str = "cursor.json";
    const BYTES_MAX: u64 = 1 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        self.steps.drain(..self.steps.len().saturating_sub(STEPS_MAX));
        Vec::new()
    }
}
