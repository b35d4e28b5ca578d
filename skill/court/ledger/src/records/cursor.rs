//! `cursor.json`: where the task stands, and how it came there.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record, VERSION};

/// The most steps that are kept.
const STEPS_MAX: usize = 200;

/// Where the task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cursor {
    /// The version of this format.
    pub version: u32,
    /// The task of the manifest.
    pub task_id: Option<String>,
    /// The phase that is on.
    pub phase: Option<String>,
    /// The number of the last fact packet.
    pub packet_seq: u64,
    /// The phases so far, the oldest first.
    pub steps: Vec<Step>,
}

/// A change of the phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The phase that began.
    pub phase: String,
    /// When, RFC 3339.
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
