//! Tools of the client other than the shell.

use super::rule::Rule;

pub(crate) const READ_SECRET: Rule =
    Rule::l2("tool.read-secret", "A file that holds secrets is read.");
pub(crate) const WRITE: Rule = Rule::l1("tool.write", "A file of the project is written.");
pub(crate) const WRITE_SECRET: Rule =
    Rule::l2("tool.write-secret", "A file that holds secrets is written.");
pub(crate) const WRITE_OUTSIDE: Rule =
    Rule::l2("tool.write-outside", "A file outside the project is written.");
pub(crate) const WRITE_WIRING: Rule = Rule::l2(
    "tool.write-wiring",
    "Settings, hooks or start-up files change what happens later, unseen.",
);
pub(crate) const WRITE_COURT: Rule = Rule::l3(
    "tool.write-court",
    "The records and settings of the court are not written by those it watches.",
);
pub(crate) const DELEGATE: Rule = Rule::l1("tool.delegate", "Work is handed to another agent.");
pub(crate) const FETCH: Rule = Rule::l1("tool.fetch", "A page is fetched from the network.");
pub(crate) const FETCH_SECRET: Rule = Rule::l2(
    "tool.fetch-secret",
    "The address may carry a secret away or reach into the private network.",
);
pub(crate) const SKILL: Rule = Rule::l1("tool.skill", "A skill is loaded.");
pub(crate) const MESSAGE: Rule = Rule::l1("tool.message", "A message is sent to another agent.");
pub(crate) const WORKFLOW: Rule =
    Rule::l2("tool.workflow", "A workflow runs many steps on its own.");
pub(crate) const SCHEDULE: Rule = Rule::l2("tool.schedule", "Something is scheduled to run later.");
pub(crate) const MCP_READ: Rule =
    Rule::l1("tool.mcp-read", "A tool of an MCP server reads something.");
pub(crate) const MCP: Rule =
    Rule::l2("tool.mcp", "A tool of an MCP server acts outside the session.");
pub(crate) const PROCESS: Rule = Rule::l1("tool.process", "A background process is managed.");
pub(crate) const UNKNOWN: Rule = Rule::l1("tool.unknown", "The tool is not known.");
pub(crate) const STRICT: Rule =
    Rule::l2("strict.table", "The strict policy asks for every shell, network and MCP call.");
pub(crate) const SENSITIVE: Rule =
    Rule::l2("strict.sensitive", "The call has a sensitive word in it.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[
    &READ_SECRET,
    &WRITE,
    &WRITE_SECRET,
    &WRITE_OUTSIDE,
    &WRITE_WIRING,
    &WRITE_COURT,
    &DELEGATE,
    &FETCH,
    &FETCH_SECRET,
    &SKILL,
    &MESSAGE,
    &WORKFLOW,
    &SCHEDULE,
    &MCP_READ,
    &MCP,
    &PROCESS,
    &UNKNOWN,
    &STRICT,
    &SENSITIVE,
];
