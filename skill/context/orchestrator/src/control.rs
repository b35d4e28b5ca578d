//! Reads the settings: environment, then `config/auto-tools.yaml`, then the default. All faults are
//! reported together. The file comes with the repository and can only reduce the defaults;
//! tier 2 can only be enabled by the environment.

mod file;
mod own_tools;
mod read;
mod servers;

pub use file::ToolWish;
pub use own_tools::{OwnTool, When};
pub use servers::{Mapped, Precedence, Server};

use std::path::{Path, PathBuf};

use orchestration::limits;
use orchestration::report::Budget;
use orchestration::settings::{BUDGET, Mode, Switch, WALL_MS_MAX};
use orchestration::variables;

use crate::environment::Environment;
use crate::limits::Limits;

/// Maximum number of concurrent tools: there are eight.
const CONCURRENCY_MAX: u64 = 16;
/// Maximum size of the injected text, in UTF-16 code units.
const INJECTED_CHARS_MAX: u64 = 100_000;

/// The user's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Control {
    /// Whether context is enabled.
    pub switch: Switch,
    /// Whether tools run.
    pub mode: Mode,
    /// The highest tier that may run: 1 or 2.
    pub tier_max: u8,
    /// The budget.
    pub budget: Budget,
    /// The deciding policy.
    pub policy: Policy,
    /// The Codex command named in a plan.
    pub session: SessionMode,
    /// A root below the repository, set in the file.
    pub repo_root: Option<PathBuf>,
    /// Arguments for tools, set in the file; not yet clamped.
    pub wishes: Vec<ToolWish>,
    /// Tool servers in the file; not yet checked for trust.
    pub servers: Vec<Server>,
}

/// The deciding policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The current one.
    Orchestrator,
    /// The behaviour before there were tiers and servers: one search for the prompt's words by the embedded
    /// engine, ignoring arguments from the prompt or the file.
    Legacy,
}

/// The Codex command named in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionMode {
    /// `codex exec`.
    Exec,
    /// `codex exec resume --last`.
    ResumeLast,
}

/// A fault in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A variable, or a key of the file.
    pub place: String,
    /// What was found, and what is expected.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "configuration: {}: {}", self.place, self.message)
    }
}

/// Whether the environment disables everything; then nothing else is read.
#[must_use]
pub fn is_off(environment: &Environment) -> bool {
    let value = environment.get(variables::AUTO_TOOLS).and_then(|value| value.to_str());
    value.is_some_and(|value| Switch::read(value) == Some(Switch::Off))
}

/// The settings for a repository whose configuration is below `base`.
///
/// # Errors
/// Every fault of the environment and of the file.
pub fn resolve(
    environment: &Environment,
    base: &Path,
    limits: &mut Limits,
) -> Result<Control, Vec<Fault>> {
    let mut faults = Vec::new();
    let file = file::load(base, limits, &mut faults);
    if file::is_misplaced(base) {
        limits.say(limits::WRONG_FILE);
    }
    let mut env = read::Variables { environment, faults: &mut faults };
    let dry_run = env.get(variables::DRY_RUN, read::flag);
    let mode = env.get(variables::MODE, read::mode);
    let bounded = |max| move |text: &str| read::number(text, 1, max);
    let budget = Budget {
        wall_ms: env
            .get(variables::WALL_MS, bounded(WALL_MS_MAX))
            .or(file.wall_ms)
            .unwrap_or(BUDGET.wall_ms),
        max_concurrency: env
            .get(variables::MAX_CONCURRENCY, bounded(CONCURRENCY_MAX))
            .or(file.max_concurrency)
            .unwrap_or(BUDGET.max_concurrency),
        max_injected_chars: env
            .get(variables::MAX_INJECTED_CHARS, bounded(INJECTED_CHARS_MAX))
            .or(file.max_injected_chars)
            .unwrap_or(BUDGET.max_injected_chars),
    };
    let tier = env.get(variables::TIER_MAX, |text| read::number(text, 1, 2));
    let switch = env.get(variables::AUTO_TOOLS, read::switch).or(file.switch);
    let legacy = env.get(variables::LEGACY, read::flag).or(file.legacy).unwrap_or(false);
    let session = env.get(variables::SESSION_MODE, read::session).or(file.session);
    if file.wants_tier_2 && tier != Some(2) {
        limits.say(limits::TIER_2_ENV_ONLY);
    }
    if legacy {
        limits.say(limits::LEGACY);
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    // Either variable of the environment overrides both keys of the file.
    let mode = match (dry_run, mode) {
        (Some(true), _) => Mode::Plan,
        (_, Some(mode)) => mode,
        (None, None) if file.dry_run == Some(true) => Mode::Plan,
        (Some(false) | None, None) => file.mode.unwrap_or(Mode::Run),
    };
    Ok(Control {
        switch: switch.unwrap_or(Switch::Auto),
        mode,
        tier_max: if tier == Some(2) { 2 } else { 1 },
        budget,
        policy: if legacy { Policy::Legacy } else { Policy::Orchestrator },
        session: session.unwrap_or(SessionMode::Exec),
        repo_root: file.repo_root,
        wishes: file.wishes,
        servers: file.servers,
    })
}

impl Control {
    /// The same for a client that accepts at most this much text, in UTF-16 code units.
    #[must_use]
    pub fn within(mut self, max_injected_chars: Option<u64>) -> Self {
        let most = max_injected_chars.unwrap_or(u64::MAX);
        self.budget.max_injected_chars = self.budget.max_injected_chars.min(most);
        self
    }

    /// The defaults alone: reported if the settings cannot be read.
    #[must_use]
    pub fn fallback() -> Self {
        Self {
            switch: Switch::Off,
            mode: Mode::Plan,
            tier_max: 1,
            budget: BUDGET,
            policy: Policy::Orchestrator,
            session: SessionMode::Exec,
            repo_root: None,
            wishes: Vec::new(),
            servers: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
