//! The texts of `[Limits]` that an entry says itself. The kernel has its own.

/// Every line begins so.
pub const MARK: &str = "[Limits]";
/// There is no kernel, or it ended without a report; why follows.
pub const UNAVAILABLE: &str = "orchestrator unavailable";
/// The kernel said something that is no report.
pub const INVALID: &str = "orchestrator output invalid; fallback to empty context";
/// The kernel was given up; its limit follows.
pub const LATE: &str = "orchestrator unavailable: no report in time; fallback to empty context";
/// Somebody asked the entry for a tool.
pub const BYPASS: &str = "tool invocation must go through orchestrator";
/// The report is of a version that is not known here.
pub const OTHER_VERSION: &str = "orchestrator report of another version; only its context is used";

/// A line with its mark.
#[must_use]
pub fn line(text: &str) -> String {
    format!("{MARK} {text}")
}
