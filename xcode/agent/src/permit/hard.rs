//! How a finding of the gate is read here: which rules never run, and which stand for a host's tools. Absent: what
//! they find.

use gate::{Finding, Level};

/// Rules whose findings never run, with or without a user to ask. Beside them, everything of L3. They are the design's
/// and `files.delete-forced`: forced deletion of work is on the seed's list of what is denied.
pub(super) const DENIED: &[&str] = &[
    "command.privilege",
    "command.root-shell",
    "files.delete-forced",
    "files.delete-outside",
    "files.delete-tree",
    "files.delete-unknown",
    "files.disk",
    "files.erase",
    "files.mode",
    "process.fork-bomb",
    "script.fetched-as-root",
    "secret.send",
    "tool.write-court",
];

/// The level of a finding: as the gate has it, but for the tools of a server that the user chose.
pub(super) fn level(finding: &Finding) -> Level {
    match finding.rule.id {
        "tool.mcp" | "tool.mcp-read" => Level::L1,
        _ => finding.level,
    }
}

/// Whether a finding is of the deny set. What the user has moved to the questions is not, unless it is L3.
pub(super) fn is_hard(finding: &Finding, lowered: &[String]) -> bool {
    let id = finding.rule.id;
    level(finding) == Level::L3
        || DENIED.contains(&id) && !lowered.iter().any(|lowered| lowered == id)
}
