//! The environment, read once, and the variable names that the bridge and its clients use.
//! Other code uses this copy, so that tests can replace it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Path of the configuration file, if `--config` is not given.
pub const CONFIG: &str = "CODEX_BRIDGE_CONFIG";
/// The daemon's address, for clients; not a setting of the daemon.
pub const URL: &str = "CODEX_BRIDGE_URL";
/// The state folder with the token and the address of a running daemon.
pub const STATE_DIR: &str = "CODEX_BRIDGE_STATE_DIR";
/// The token itself, instead of the file.
pub const TOKEN: &str = "CODEX_BRIDGE_TOKEN";
/// The token for `/orchestrate` itself, instead of its file.
pub const ORCHESTRATE_TOKEN: &str = "CODEX_BRIDGE_ORCHESTRATE_TOKEN";
/// The id of the user who runs the daemon as a system service, for its clients.
pub const SERVICE_UID: &str = "CODEX_BRIDGE_SERVICE_UID";
/// Marks the processes of a run; set by the daemon for its children, not a setting.
pub const RUN: &str = "CODEX_BRIDGE_RUN";
/// Prefix of all variables of the bridge.
pub const PREFIX: &str = "CODEX_BRIDGE_";
/// The user's home folder (POSIX).
pub const HOME: &str = "HOME";
/// The search path for executables (POSIX).
pub const PATH: &str = "PATH";
/// The folder for temporary files (POSIX).
pub const TMPDIR: &str = "TMPDIR";
/// The folder for configuration (XDG Base Directory Specification 0.8).
pub const XDG_CONFIG_HOME: &str = "XDG_CONFIG_HOME";
/// The folder for state (XDG Base Directory Specification 0.8).
pub const XDG_STATE_HOME: &str = "XDG_STATE_HOME";
/// The folder for caches (XDG Base Directory Specification 0.8).
pub const XDG_CACHE_HOME: &str = "XDG_CACHE_HOME";
/// The state folders that systemd made for a unit, separated by colons (systemd.exec(5)).
pub const STATE_DIRECTORY: &str = "STATE_DIRECTORY";
/// The folder of the credentials that systemd passes (systemd.exec(5)).
pub const CREDENTIALS_DIRECTORY: &str = "CREDENTIALS_DIRECTORY";
/// The user's own Codex home (codex 0.169).
pub const CODEX_HOME: &str = "CODEX_HOME";
/// The datagram socket of the service manager (sd_notify(3)).
pub const NOTIFY_SOCKET: &str = "NOTIFY_SOCKET";
/// The watchdog's timeout in microseconds (sd_watchdog_enabled(3)).
pub const WATCHDOG_USEC: &str = "WATCHDOG_USEC";
/// The process the watchdog is meant for (sd_watchdog_enabled(3)).
pub const WATCHDOG_PID: &str = "WATCHDOG_PID";
/// Set by systemd in every service (systemd.exec(5)).
pub const INVOCATION_ID: &str = "INVOCATION_ID";
/// The descriptor of the channel to pm2 (Node.js `child_process`, pm2 7).
pub const NODE_CHANNEL_FD: &str = "NODE_CHANNEL_FD";
/// Set by pm2 in every process it starts (pm2 7).
pub const PM2_HOME: &str = "PM2_HOME";

/// A folder in which each program has its own subfolder (XDG Base Directory Specification 0.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserFolder {
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    Config,
    /// `$XDG_STATE_HOME`, else `~/.local/state`.
    State,
    /// `$XDG_CACHE_HOME`, else `~/.cache`.
    Cache,
}

/// A copy of the environment: its variables and the working folder.
#[derive(Debug, Clone)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    working_dir: PathBuf,
}

impl Environment {
    /// The environment of this process, as it is now.
    #[must_use]
    pub fn of_process() -> Self {
        let working_dir = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        Self { working_dir, ..std::env::vars_os().collect() }
    }

    /// A copy with one variable set.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// A copy without one variable.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.variables.remove(name.as_ref());
        self
    }

    /// A copy with another working folder.
    #[must_use]
    pub fn at(self, working_dir: &Path) -> Self {
        Self { working_dir: working_dir.to_owned(), ..self }
    }

    /// Base of relative paths in flags and variables.
    #[must_use]
    pub fn working_dir(&self) -> &Path {
        &self.working_dir
    }

    /// The variable's value, even if empty.
    #[must_use]
    pub fn raw(&self, name: &OsStr) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str)
    }

    /// The variable, unless it is absent or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str).filter(|v| !v.is_empty())
    }

    /// The variable as text, unless it is absent, empty or not UTF-8.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(OsStr::to_str)
    }

    /// The variable as an absolute path; relative ones are ignored, as the XDG specification requires.
    #[must_use]
    pub fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The user's folder of this kind.
    #[must_use]
    pub fn user_folder(&self, kind: UserFolder) -> Option<PathBuf> {
        let (name, below_home) = match kind {
            UserFolder::Config => (XDG_CONFIG_HOME, ".config"),
            UserFolder::State => (XDG_STATE_HOME, ".local/state"),
            UserFolder::Cache => (XDG_CACHE_HOME, ".cache"),
        };
        self.folder(name).or_else(|| Some(self.folder(HOME)?.join(below_home)))
    }

    /// Whether the variable is set, even if empty.
    #[must_use]
    pub fn is_set(&self, name: &str) -> bool {
        self.variables.contains_key(OsStr::new(name))
    }

    /// All variables, to pass the environment on to a program.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The names of our own variables, sorted.
    pub fn ours(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().filter_map(|name| name.to_str()).filter(|n| n.starts_with(PREFIX))
    }
}

/// No variables, and `/` as the working folder.
impl Default for Environment {
    fn default() -> Self {
        Self { variables: BTreeMap::new(), working_dir: PathBuf::from("/") }
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let variables = pairs.into_iter().map(|(n, v)| (n.into(), v.into())).collect();
        Self { variables, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_folder_is_the_one_that_is_named_and_else_below_home() {
        let check = |pairs: &[(&str, &str)], kind, expected: Option<&str>| {
            let environment: Environment = pairs.iter().copied().collect();
            assert_eq!(environment.user_folder(kind).as_deref(), expected.map(Path::new));
        };
        let home = [("HOME", "/home/me")];
        check(&home, UserFolder::Config, Some("/home/me/.config"));
        check(&home, UserFolder::State, Some("/home/me/.local/state"));
        check(&home, UserFolder::Cache, Some("/home/me/.cache"));
        check(&[("XDG_CACHE_HOME", "/c"), home[0]], UserFolder::Cache, Some("/c"));
        check(&[("XDG_CACHE_HOME", "c"), home[0]], UserFolder::Cache, Some("/home/me/.cache"));
        check(&[], UserFolder::Config, None);
    }
}
