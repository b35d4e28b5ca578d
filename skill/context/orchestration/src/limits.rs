//! The texts of `[Limits]`, which describe what is missing or reduced, in fixed wording that tests and readers can
//! rely on. What follows a text varies.

/// Tier 2 would help and is disabled.
pub const TIER_2_OFF: &str = "tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable";
/// Tier 2 would help and the time is too short; the tool follows.
pub const TIER_2_BUDGET: &str = "tier-2 left out; the budget does not allow it";
/// The settings file requested tier 2.
pub const TIER_2_ENV_ONLY: &str = "tier-2 requires CI_AUTO_TOOLS_TIER_MAX=2 (config ignored)";
/// The legacy policy is in force.
pub const LEGACY: &str = "legacy mode enabled; using legacy policy";
/// A tool did not answer in time, and is only in the plan; its name follows.
pub const TOOL_TIMEOUT: &str = "tool timeout; degraded to plan-only";
/// A tool is missing, not allowed, or failed; the tool's name follows.
pub const TOOL_UNAVAILABLE: &str = "tool unavailable; skipped";
/// More was found, or more was to be run, than the budget allows.
pub const BUDGET: &str = "budget exceeded; results truncated";
/// The working directory is used because there is no repository.
pub const NO_GIT_ROOT: &str = "no-git-root: using the working directory as the root";
/// Text that read like an instruction was masked.
pub const FILTERED: &str = "possible injected instructions were masked in tool output";
/// A setting is in the wrong file.
pub const WRONG_FILE: &str = "settings for auto tools in .devbooks/config.yaml have no effect; move them to config/auto-tools.yaml";
/// There is no orchestrator, or it failed; the reason follows.
pub const UNAVAILABLE: &str = "orchestrator unavailable";
/// The orchestrator's output was not a valid report. Added by an entry.
pub const INVALID: &str = "orchestrator output invalid; fallback to empty context";
/// The orchestrator was stopped; its time limit follows. Added by an entry.
pub const LATE: &str = "orchestrator unavailable: no report in time; fallback to empty context";
/// An entry was asked for a tool. Added by an entry.
pub const BYPASS: &str = "tool invocation must go through orchestrator";
/// The report has an unknown version. Added by an entry.
pub const OTHER_VERSION: &str = "orchestrator report of another version; only its context is used";
/// Variables that decide what runs were set by the project's own settings of the client; their names follow. Added by
/// an entry.
pub const PROJECTS_VARIABLES: &str =
    "variables that the project's own settings of the client set have no effect";
