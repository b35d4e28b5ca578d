//! The last prompts as the entries to the orchestrator keep them for the daemon's pages: one file each, below the state
//! folder. Absent: reading and writing them.

use std::ffi::OsStr;

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

/// Whether a text is the id of a run, which begins with its time; a plan's id does not. It is a part of a file's name, and of a link.
#[must_use]
pub fn is_run_id(id: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let begins = id.bytes().take(8).filter(u8::is_ascii_digit).count() == 8;
    begins && id.len() <= 40 && id.bytes().all(is_usual)
}

/// The id in the name of a file that is one of ours.
#[must_use]
pub fn id_of(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_suffix(EXTENSION).filter(|id| is_run_id(id))
}

/// One prompt, masked, and what was found for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// From the prompt to the report, in milliseconds.
    pub elapsed_ms: u64,
    /// The report, without the findings as data: `additional_context` tells them.
    pub report: Report,
}
