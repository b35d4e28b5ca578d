//! Recorded prompts, which the entries to the orchestrator store for the daemon's pages: one file each, below the state
//! folder. Not here: reading and writing them.

use std::ffi::OsStr;

use serde::{Deserialize, Serialize};

use super::report::Report;

/// The folder below the state folder.
pub const FOLDER: &str = "context";

/// Default and maximum number of files.
pub const KEPT_MAX: usize = 50;

/// Maximum size of a file, in bytes: a report has some 30 KB.
pub const FILE_MAX: usize = 512 * 1024;

/// Extension of each file; the file's name is the id of the run, so names sort by time.
pub const EXTENSION: &str = ".json";

/// Whether a text is the id of a run, which begins with its time, and not of a plan. It is part of a file name and of a link.
#[must_use]
pub fn is_run_id(id: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let begins = id.bytes().take(8).filter(u8::is_ascii_digit).count() == 8;
    begins && id.len() <= 40 && id.bytes().all(is_usual)
}

/// The id in the name of one of these files.
#[must_use]
pub fn id_of(name: &OsStr) -> Option<&str> {
    name.to_str()?.strip_suffix(EXTENSION).filter(|id| is_run_id(id))
}

/// One prompt, masked, and its report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// From the prompt to the report, in milliseconds.
    pub elapsed_ms: u64,
    /// The report without structured findings, which `additional_context` repeats.
    pub report: Report,
}
