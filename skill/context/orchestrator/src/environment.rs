//! The environment, read once, and the names in it that the kernel knows. Everything later asks this
//! copy, so that tests can replace it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

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

/// A copy of the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// An environment with exactly these variables.
    pub fn from_pairs<'v>(pairs: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// The same with one variable set.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// A variable's value; an empty one counts as not set.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// A variable's value as a path.
    #[must_use]
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }
}
