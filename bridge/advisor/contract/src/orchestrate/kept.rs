//! The last prompts as the entries to the orchestrator keep them for the daemon's pages: one file each, below the state
//! folder. Absent: reading and writing them.

use serde::{Deserialize, Serialize};

use super::report::Report;

/// The folder below the state folder.
pub const FOLDER: &str = "context";

/// How many files there are, where nothing is set; the most that may be set, too.
pub const KEPT_MAX: usize = 50;

/// The longest file, in bytes: a report has some 30 KB.
pub const FILE_MAX: usize = 512 * 1024;

/// What each file's name ends with; before it stands the id of the run, so names are in the order of time.
pub const EXTENSION: &str = ".json";

/// One prompt, masked, and what was found for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// From the prompt to the report, in milliseconds.
    pub elapsed_ms: u64,
    /// The report, without the findings as data: `additional_context` tells them.
    pub report: Report,
}
