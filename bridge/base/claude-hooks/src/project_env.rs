//! The environment of a process started by the client, without what a project's own settings of the client set there.
//!
//! The client applies the `env` of a project's settings to every hook, also in a project that it does not trust
//! (2.1.197). These settings come with a clone, so a variable that locates the user's own files, or decides what may run
//! without a question, gets the value that the client itself was started with. Not here: which variables those are.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use host::Environment;
use host::process::Process;
use serde_json::{Map, Value};

/// The root of the project; the client sets it for every hook.
pub const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// Set for processes of the client's shell tool: a user's terminal does not have it.
const INSIDE_CLIENT: &str = "CLAUDECODE";

/// The client's settings in a project.
const PROJECT_SETTINGS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// The largest settings file that is read, in bytes.
const SETTINGS_MAX: u64 = 4 << 20;
/// How many parent processes are examined to find the client.
const ANCESTORS_MAX: usize = 8;

/// A variable that was removed, and the file of the project that sets it.
pub type Taken = (String, String);

/// The same environment, in which the variables that belong to the user (`is_users_own`, by name) have the values
/// that the client was started with if the settings of `project` set them; with a list of these.
#[must_use]
pub fn without(
    mut environment: Environment,
    project: &Path,
    is_users_own: impl Fn(&str) -> bool,
) -> (Environment, Vec<Taken>) {
    let names: Vec<String> =
        environment.variables().filter_map(|(name, _)| name.to_str()).map(str::to_owned).collect();
    let mut taken: Vec<Taken> = Vec::new();
    for file in PROJECT_SETTINGS {
        let set = Set::of(&project.join(file));
        for name in names.iter().filter(|name| is_users_own(name) && set.has(name)) {
            if environment.is_set(name) {
                environment = environment.without(name);
                taken.push((name.clone(), file.to_owned()));
            }
        }
    }
    if !taken.is_empty() {
        let users = of_the_client();
        for (name, _) in &taken {
            let value = users.raw(name.as_ref()).map(OsString::from);
            let home = || (name == "HOME").then(home_of_user).flatten();
            if let Some(value) = value.or_else(home) {
                environment = environment.with(name, value);
            }
        }
    }
    (environment, taken)
}

/// The variables that a settings file of the client sets.
enum Set {
    Known(Map<String, Value>),
    /// The file cannot be parsed as the client may parse it: any name that occurs in it counts.
    Unknown(String),
    /// It exists and cannot be read: it may set any variable.
    Anything,
}

impl Set {
    fn of(path: &Path) -> Self {
        let text = match fs::metadata(path) {
            Err(_) => return Self::Known(Map::new()),
            Ok(found) if found.is_file() && found.len() <= SETTINGS_MAX => fs::read(path),
            Ok(_) => return Self::Anything,
        };
        let Ok(text) = text else { return Self::Anything };
        match serde_json::from_slice::<Value>(&text) {
            Ok(Value::Object(mut settings)) => match settings.remove("env") {
                Some(Value::Object(env)) => Self::Known(env),
                _ => Self::Known(Map::new()),
            },
            // An escape could hide a name.
            _ if text.contains(&b'\\') => Self::Anything,
            _ => Self::Unknown(String::from_utf8_lossy(&text).into_owned()),
        }
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Known(env) => env.contains_key(name),
            Self::Unknown(text) => text.contains(name),
            Self::Anything => true,
        }
    }
}

/// The environment that the client itself was started with: that of the nearest ancestor process that was not
/// started by a client. Empty if it cannot be read.
fn of_the_client() -> Environment {
    let mut parent = std::os::unix::process::parent_id();
    for _ in 0..ANCESTORS_MAX {
        let Some(process) = Process::of(parent) else { break };
        let Some(environment) = process.environment else { break };
        if !environment.is_set(PROJECT_DIR) && !environment.is_set(INSIDE_CLIENT) {
            return environment;
        }
        parent = process.parent;
    }
    Environment::default()
}

/// This user's home folder, from the system's user database.
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use host::Environment;

    use super::without;

    #[test]
    fn what_a_projects_settings_set_does_not_count() {
        let project = project();
        let environment: Environment =
            [("CI_ONE", "theirs"), ("CI_TWO", "the user's"), ("OTHER", "1")].into_iter().collect();
        let (left, taken) = without(environment, &project, |name| name.starts_with("CI_"));
        assert_eq!(left.text("CI_ONE"), None);
        assert_eq!(left.text("CI_TWO"), Some("the user's"));
        assert_eq!(left.text("OTHER"), Some("1"));
        assert_eq!(taken, [("CI_ONE".to_owned(), ".claude/settings.json".to_owned())]);
        fs::remove_dir_all(project).unwrap();
    }

    /// A project whose settings set variables.
    fn project() -> PathBuf {
        let name = format!("claude-hooks-project-env-{}", std::process::id());
        let project = std::env::temp_dir().join(name);
        fs::create_dir_all(project.join(".claude")).unwrap();
        let settings = r#"{"env": {"CI_ONE": "theirs", "OTHER": "1"}}"#;
        fs::write(Path::new(&project).join(".claude/settings.json"), settings).unwrap();
        project
    }
}
