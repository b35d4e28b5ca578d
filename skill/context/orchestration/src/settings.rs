//! The settings that the orchestrator and its callers both read: the file's place, the words, the
//! default budget and its bounds. Where a word comes from is the reader's to know.

use contract::orchestrate::report::Budget;

/// The settings file of a repository, below its root.
pub const FILE: &str = "config/auto-tools.yaml";
/// A file that is often taken for it, below the root; settings in it have no effect, which the orchestrator says.
pub const OTHER_FILE: &str = ".devbooks/config.yaml";
/// The longest settings file that is read, in bytes; ours has a dozen lines.
pub const FILE_MAX: u64 = 64 * 1024;

/// What an orchestration may cost where nothing is set (proposal, design point 5).
pub const BUDGET: Budget =
    Budget { wall_ms: 5_000, max_concurrency: 3, max_injected_chars: 12_000 };
/// The highest wall budget, in milliseconds: twice what Claude Code waits for a prompt hook.
pub const WALL_MS_MAX: u64 = 60_000;
/// What tier 2 adds to the wall budget, in milliseconds (proposal, design point 5).
pub const TIER_2_MS: u64 = 5_000;

/// Whether there is context at all.
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
    /// What the words are called in a message about others.
    pub const WORDS: &str = "auto, on or off";

    /// The switch that a word means, without regard to case.
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
    /// They are only named.
    Plan,
}

impl Mode {
    /// As [`Switch::WORDS`].
    pub const WORDS: &str = "run or plan";

    /// The mode that a word means, without regard to case.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match lower(word).as_str() {
            "run" => Some(Self::Run),
            "plan" => Some(Self::Plan),
            _ => None,
        }
    }
}

/// How much of a report a person is shown in Claude Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Show {
    /// Failures, and what must be known of the repository and the settings.
    Off,
    /// Numbers in one line, and what is less than it should be.
    Line,
    /// Everything.
    Full,
}

impl Show {
    /// As [`Switch::WORDS`].
    pub const WORDS: &str = "off, line or full";

    /// The amount that a word means, without regard to case.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match lower(word).as_str() {
            // `off` is also how YAML says false.
            "off" | "0" | "false" => Some(Self::Off),
            "line" => Some(Self::Line),
            "full" => Some(Self::Full),
            _ => None,
        }
    }
}

/// Whether a word means yes, without regard to case; `None` for a word that means neither.
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
