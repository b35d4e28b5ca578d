//! The variables that the court reads, behind a lookup that tests replace. They are read once.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The root of the project; the client sets it for every hook.
pub const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// Set in what the client's shell tool runs: a person's terminal does not have it.
pub const INSIDE_CLIENT: &str = "CLAUDECODE";
/// Where the client keeps the user's settings; `~/.claude` otherwise.
pub const CLIENT_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The user's settings of the court, in place of `codex-bridge/court.toml` in the config folder.
pub const CONFIG: &str = "COURT_CONFIG";

/// A snapshot of the environment.
#[derive(Debug, Clone, Default)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// What this process was started with.
    pub fn of_process() -> Self {
        Self(std::env::vars_os().collect())
    }

    /// An environment of these variables only.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// A variable's text; `None` where it is unset, empty or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        let value = self.0.get(std::ffi::OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then_some(value)
    }

    /// A variable as a path; `None` where it is unset or not absolute.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.0.get(std::ffi::OsStr::new(name))?);
        path.is_absolute().then_some(path)
    }

    /// The whole of it, for a program that is started with it.
    pub fn pairs(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }
}
