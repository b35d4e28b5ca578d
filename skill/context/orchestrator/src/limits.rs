//! The texts of `[Limits]`: what is less than it should be, said in fixed words that tests and readers
//! can rely on. Collected in the order in which they arise, each once.

use redact::Cut;

/// The longest line, in characters.
const LINE_MAX: usize = 600;

/// Every line begins so.
pub const MARK: &str = "[Limits]";
/// Tier 2 would help and is off.
pub const TIER_2_OFF: &str = "tier-2 disabled by default; set CI_AUTO_TOOLS_TIER_MAX=2 to enable";
/// Tier 2 would help and the time is too short; the tool follows.
pub const TIER_2_BUDGET: &str = "tier-2 left out; the budget does not allow it";
/// The file asked for tier 2.
pub const TIER_2_ENV_ONLY: &str = "tier-2 requires CI_AUTO_TOOLS_TIER_MAX=2 (config ignored)";
/// The legacy policy is in force.
pub const LEGACY: &str = "legacy mode enabled; using legacy policy";
/// A tool did not answer in time, and is only in the plan; its name follows.
pub const TOOL_TIMEOUT: &str = "tool timeout; degraded to plan-only";
/// A tool is missing, not allowed, or failed; the tool's name follows.
pub const TOOL_UNAVAILABLE: &str = "tool unavailable; skipped";
/// More was found, or more was to be run, than the budget allows.
pub const BUDGET: &str = "budget exceeded; results truncated";
/// The working directory stands in for a repository.
pub const NO_GIT_ROOT: &str = "no-git-root: using the working directory as the root";
/// Something that read like an instruction was masked.
pub const FILTERED: &str = "possible injected instructions were masked in tool output";
/// A setting stands in the wrong file.
pub const WRONG_FILE: &str = "settings for auto tools in .devbooks/config.yaml have no effect; move them to config/auto-tools.yaml";
/// The kernel could not do its work.
pub const UNAVAILABLE: &str = "orchestrator unavailable";

/// The lines, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(Vec<String>);

impl Limits {
    /// Adds a line, without its mark. What came from a repository or a tool is cleaned, masked and
    /// bounded here: the line goes to a terminal and into the hook's answer.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = redact::sanitize(&text.into(), Cut::chars(LINE_MAX).marked()).replace('\n', " ");
        if !self.0.contains(&text) {
            self.0.push(text);
        }
    }

    /// Whether a line begins with these words.
    #[must_use]
    pub fn says(&self, words: &str) -> bool {
        self.0.iter().any(|line| line.starts_with(words))
    }

    /// The lines, without their marks.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// All lines, each with its mark; empty when there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|line| format!("{MARK} {line}")).collect();
        lines.join("\n")
    }
}
