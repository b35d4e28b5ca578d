//! How a finding of the gate is treated here: which rules are always denied, and which cover tools of MCP servers. Not here:
//! the findings.

use gate::{Finding, Level};

/// Rules whose findings are always denied, with or without a user, in addition to everything of L3. They are those of the design
/// and `files.delete-forced`: forced deletion of work is on the original specification's list of denials.
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

/// The level of a finding: the gate's, except for the tools of a server that the user chose.
pub(super) fn level(finding: &Finding) -> Level {
    match finding.rule.id {
        "tool.mcp" | "tool.mcp-read" => Level::L1,
        _ => finding.level,
    }
}

/// Whether a finding is always denied. A rule that the user has changed to a question is not, unless it is L3.
pub(super) fn is_hard(finding: &Finding, lowered: &[String]) -> bool {
    let id = finding.rule.id;
    level(finding) == Level::L3
        || DENIED.contains(&id) && !lowered.iter().any(|lowered| lowered == id)
}
