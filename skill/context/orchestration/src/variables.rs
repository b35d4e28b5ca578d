//! The environment variables of an orchestration. An empty one counts as not set.

/// `auto`, `on` or `off`: whether there is context at all.
pub const AUTO_TOOLS: &str = "CI_AUTO_TOOLS";
/// `run` or `plan`.
pub const MODE: &str = "CI_AUTO_TOOLS_MODE";
/// `1` or `2`: the highest tier that may run. The only way to tier 2.
pub const TIER_MAX: &str = "CI_AUTO_TOOLS_TIER_MAX";
/// The whole time of an orchestration, in milliseconds.
pub const WALL_MS: &str = "CI_AUTO_TOOLS_BUDGET_WALL_MS";
/// How many tools run at once.
pub const MAX_CONCURRENCY: &str = "CI_AUTO_TOOLS_MAX_CONCURRENCY";
/// How long the injected text may be, in UTF-16 code units.
pub const MAX_INJECTED_CHARS: &str = "CI_AUTO_TOOLS_MAX_INJECTED_CHARS";
/// `1`: the same as the mode `plan`.
pub const DRY_RUN: &str = "CI_AUTO_TOOLS_DRY_RUN";
/// The folder that the context is about.
pub const REPO_ROOT: &str = "CI_AUTO_TOOLS_REPO_ROOT";
/// `1`: the legacy policy, one search and nothing else, which the report says.
pub const LEGACY: &str = "CI_AUTO_TOOLS_LEGACY";
/// `exec` or `resume_last`: the Codex command that a plan names.
pub const SESSION_MODE: &str = "CI_CODEX_SESSION_MODE";
/// `off`, `line` or `full`: how much of a report a person is shown. Read by the entries only.
pub const SHOW: &str = "CI_AUTO_TOOLS_SHOW";
/// How the names of all variables begin that the orchestrator reads, and that change what it says.
pub const BEGINNINGS: [&str; 2] = ["CI_AUTO_TOOLS", "CI_CODEX_"];
/// How many of the last prompts are kept for the daemon's pages; `0`: none. Read by the entries only.
pub const KEEP: &str = "CI_AUTO_TOOLS_KEEP";
/// Names another program than [`crate::PROGRAM`]; then no other is looked for. Read by the entries only.
pub const ORCHESTRATOR_PATH: &str = "CI_AUTO_TOOLS_ORCHESTRATOR_PATH";
