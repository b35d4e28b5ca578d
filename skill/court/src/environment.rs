//! The variables that the court reads, behind a lookup that tests replace. They are read once.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// The root of the project; the client sets it for every hook.
pub const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// Set in what the client's shell tool runs: a person's terminal does not have it.
pub const INSIDE_CLIENT: &str = "CLAUDECODE";
/// Where the client keeps the user's settings; `~/.claude` otherwise.
pub const CLIENT_CONFIG_DIR: &str = "CLAUDE_CONFIG_DIR";
/// The state folder of all our programs, in place of the usual one.
pub const STATE_DIR: &str = "CODEX_BRIDGE_STATE_DIR";
/// The user's settings of the court, in place of `codex-bridge/court.toml` in the config folder.
pub const CONFIG: &str = "COURT_CONFIG";

/// The client's settings in a project. They come with a clone, and their `env` reaches the hooks.
const PROJECT_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// The largest of them that is read, in bytes.
const SETTINGS_MAX: u64 = 4 << 20;
/// Variables beside `COURT_*`, `CODEX_BRIDGE_*` and `XDG_*` that say where the user's own things are.
const USERS_OWN: [&str; 2] = ["HOME", CLIENT_CONFIG_DIR];

/// A snapshot of the environment.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    /// Variables that were taken away, each with the file that set it.
    taken: Vec<(String, String)>,
}

impl Environment {
    /// What this process was started with, without what the project's own settings of the client put
    /// there: those are a stranger's, and these variables decide whether and how the user is guarded.
    pub fn of_process() -> Self {
        let variables = std::env::vars_os().collect();
        Self { variables, taken: Vec::new() }.without_the_projects()
    }

    /// An environment of these variables only.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let variables = variables.into_iter();
        let variables = variables.map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, taken: Vec::new() }
    }

    /// The variables that were taken away because a file of the project sets them, with that file.
    pub fn taken(&self) -> &[(String, String)] {
        &self.taken
    }

    fn without_the_projects(mut self) -> Self {
        let Some(project) = self.path(PROJECT_DIR) else { return self };
        for file in PROJECT_SETTINGS {
            let set = Set::of(&project.join(file));
            let names = self.variables.keys().filter_map(|name| name.to_str());
            let names: Vec<String> = names
                .filter(|name| is_users_own(name) && set.has(name))
                .map(str::to_owned)
                .collect();
            for name in names {
                self.variables.remove(OsStr::new(&name));
                self.taken.push((name, file.to_owned()));
            }
        }
        if self.taken.iter().any(|(name, _)| name == "HOME")
            && let Some(home) = home_of_user()
        {
            self.variables.insert("HOME".into(), home);
        }
        self
    }

    /// A variable's text; `None` where it is unset, empty or not UTF-8.
    pub fn text(&self, name: &str) -> Option<&str> {
        let value = self.variables.get(OsStr::new(name))?.to_str()?;
        (!value.is_empty()).then_some(value)
    }

    /// A variable as a path; `None` where it is unset or not absolute.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.variables.get(OsStr::new(name))?);
        path.is_absolute().then_some(path)
    }

    /// The whole of it, for a program that is started with it.
    pub fn pairs(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }
}

fn is_users_own(name: &str) -> bool {
    let ours = ["COURT_", "CODEX_BRIDGE_", "XDG_"].iter().any(|prefix| name.starts_with(prefix));
    ours || USERS_OWN.contains(&name)
}

/// The variables that a settings file of the client sets.
enum Set {
    Known(Map<String, Value>),
    /// It is not read as the client may read it: a name that stands anywhere in it counts.
    Unknown(String),
}

impl Set {
    fn of(path: &Path) -> Self {
        let is_fit = fs::metadata(path).is_ok_and(|it| it.is_file() && it.len() <= SETTINGS_MAX);
        let text = is_fit.then(|| fs::read(path).ok()).flatten().unwrap_or_default();
        match serde_json::from_slice::<Value>(&text) {
            Ok(Value::Object(mut settings)) => match settings.remove("env") {
                Some(Value::Object(env)) => Self::Known(env),
                _ => Self::Known(Map::new()),
            },
            _ => Self::Unknown(String::from_utf8_lossy(&text).into_owned()),
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Known(env) => env.contains_key(name),
            Self::Unknown(text) => text.contains(name),
        }
    }
}

/// The home that the system has for this user.
fn home_of_user() -> Option<OsString> {
    use std::os::unix::fs::MetadataExt as _;
    let user = fs::metadata("/proc/self").ok()?.uid();
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    let home = accounts.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let is_user = fields.next()?.parse() == Ok(user);
        is_user.then(|| fields.nth(2)).flatten()
    });
    home.map(OsString::from)
}
