//! The settings that the orchestrator and its callers both read: the file's path, the values, the
//! default budget and its limits. Where a value comes from is up to the reader.

use contract::orchestrate::report::Budget;

/// The settings file of a repository, below its root.
pub const FILE: &str = "config/auto-tools.yaml";
/// A file that is often mistaken for it, below the root; settings in it have no effect, which the orchestrator reports.
pub const OTHER_FILE: &str = ".devbooks/config.yaml";
/// The longest settings file that is read, in bytes; ours has a dozen lines.
pub const FILE_MAX: u64 = 64 * 1024;

/// The default budget of an orchestration (proposal, design point 5).
pub const BUDGET: Budget =
    Budget { wall_ms: 5_000, max_concurrency: 3, max_injected_chars: 12_000 };
/// The longest time budget, in milliseconds: twice Claude Code's timeout for a prompt hook.
pub const WALL_MS_MAX: u64 = 60_000;
/// How much tier 2 adds to the time budget, in milliseconds (proposal, design point 5).
pub const TIER_2_MS: u64 = 5_000;

/// When context is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// For prompts about code.
    Auto,
    /// For every prompt.
    On,
    /// Never.
    Off,
}

impl Switch {
    /// The values, for an error message about others.
    pub const WORDS: &str = "auto, on or off";

    /// Parses a value, ignoring case.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match lower(word).as_str() {
            "auto" => Some(Self::Auto),
            "on" | "1" | "true" => Some(Self::On),
            "off" | "0" | "false" => Some(Self::Off),
            _ => None,
        }
    }
}

/// Whether tools run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They do.
    Run,
    /// They are only planned.
    Plan,
}

impl Mode {
    /// As [`Switch::WORDS`].
    pub const WORDS: &str = "run or plan";

    /// Parses a value, ignoring case.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match lower(word).as_str() {
            "run" => Some(Self::Run),
            "plan" => Some(Self::Plan),
            _ => None,
        }
    }
}

/// How much of a report is shown to the user in Claude Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Show {
    /// Failures, and important facts about the repository and the settings.
    Off,
    /// Numbers in one line, and the limits.
    Line,
    /// Everything.
    Full,
}

impl Show {
    /// As [`Switch::WORDS`].
    pub const WORDS: &str = "off, line or full";

    /// Parses a value, ignoring case.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match lower(word).as_str() {
            // In YAML, `off` also means false.
            "off" | "0" | "false" => Some(Self::Off),
            "line" => Some(Self::Line),
            "full" => Some(Self::Full),
            _ => None,
        }
    }
}

/// Parses a yes or no, ignoring case; `None` for any other word.
#[must_use]
pub fn flag(word: &str) -> Option<bool> {
    match lower(word).as_str() {
        "1" | "true" | "on" => Some(true),
        "0" | "false" | "off" => Some(false),
        _ => None,
    }
}

fn lower(word: &str) -> String {
    word.trim().to_ascii_lowercase()
}
