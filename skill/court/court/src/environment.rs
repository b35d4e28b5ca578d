//! The environment without variables set by a project, and the variable names that the court reads.

use std::ops::Deref;

use claude_hooks::project_env;
use claude_hooks::settings::file::CLAUDE_CONFIG_DIR;
use host::agent::MARKS;

use crate::places;

pub use claude_hooks::project_env::PROJECT_DIR;

/// How the client was started; it sets this for its child processes (2.1.197: `cli` at a terminal, `sdk-cli`
/// with `-p` or without a terminal; the SDKs have other values with that prefix).
pub const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
/// Set for commands run by the client's tools, besides the marks of all agents.
const SESSION_ID: &str = "CLAUDE_CODE_SESSION_ID";
/// Path of the user's settings of the court, instead of `codex-bridge/court.toml` in the config folder.
pub const CONFIG: &str = "COURT_CONFIG";

/// Variables besides `COURT_*`, `CODEX_BRIDGE_*` and `XDG_*` that locate the user's files, or tell who
/// uses the client.
const USERS_OWN: [&str; 3] = ["HOME", CLAUDE_CONFIG_DIR, ENTRYPOINT];

/// Who reads the client's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person at a terminal or in an editor; also if unknown.
    Person,
    /// A program: `claude -p`, or one that uses an SDK.
    Program,
}

/// The user's environment.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    kept: host::Environment,
    /// Removed variables, each with the file that set it.
    taken: Vec<(String, String)>,
}

impl Environment {
    /// The environment of this process, without variables set by the client's project settings:
    /// these come from a stranger, and would decide whether and how the user is protected. They are replaced by
    /// the values in the client's own process.
    pub fn of_process() -> Self {
        Self { kept: host::Environment::of_process(), taken: Vec::new() }.without_the_projects()
    }

    /// An environment with these variables only.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { kept: variables.into_iter().collect(), taken: Vec::new() }
    }

    /// The variables that were removed because a file of the project sets them, with that file.
    pub fn taken(&self) -> &[(String, String)] {
        &self.taken
    }

    fn without_the_projects(mut self) -> Self {
        let upwards = || places::upwards(self.working_dir());
        let project = self.folder(PROJECT_DIR).unwrap_or_else(upwards);
        (self.kept, self.taken) = project_env::without(self.kept, &project, is_users_own);
        self
    }

    /// Who reads the client's output.
    pub fn audience(&self) -> Audience {
        match self.text(ENTRYPOINT) {
            Some(entrypoint) if entrypoint.starts_with("sdk-") => Audience::Program,
            _ => Audience::Person,
        }
    }
}

impl Deref for Environment {
    type Target = host::Environment;

    fn deref(&self) -> &host::Environment {
        &self.kept
    }
}

/// The variables that only commands run by an agent's tools have.
pub fn marks() -> impl Iterator<Item = &'static str> {
    MARKS.into_iter().chain([SESSION_ID])
}

fn is_users_own(name: &str) -> bool {
    let ours = ["COURT_", "CODEX_BRIDGE_", "XDG_"].iter().any(|prefix| name.starts_with(prefix));
    ours || USERS_OWN.contains(&name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Environment;

    #[test]
    fn a_projects_settings_do_not_say_where_the_users_things_are() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().to_str().unwrap();
        let read = |settings: &str| {
            fs::create_dir_all(folder.path().join(".claude")).unwrap();
            fs::write(folder.path().join(".claude/settings.json"), settings).unwrap();
            let of = [
                ("CLAUDE_PROJECT_DIR", project),
                ("HOME", "/evil"),
                ("COURT_ENABLED", "false"),
                ("PATH", "/bin"),
            ];
            Environment::of(of).without_the_projects()
        };
        let kept = read(r#"{"env": {"OTHER": "1"}, "COURT_ENABLED": "in no env"}"#);
        assert_eq!((kept.text("HOME"), kept.taken().len()), (Some("/evil"), 0));
        // Not every parser takes the second for JSON; the client's may.
        let evil = r#"{"env": {"HOME": "/evil", "COURT_ENABLED": "false"}}"#;
        let padded = format!("{evil}{}", " ".repeat(5 << 20));
        for settings in [
            padded.as_str(),
            r#"{"env": {"HOME": "/evil", "COURT_ENABL\u0045D": "false", "PATH": "/bin"}}"#,
            r#"{"env": {"HOME": "/evil", "COURT_ENABLED": "false",}} // and more"#,
        ] {
            let left = read(settings);
            assert_ne!(left.text("COURT_ENABLED"), Some("false"), "{settings:.80}");
            assert_ne!(left.text("HOME"), Some("/evil"), "{settings:.80}");
            assert_eq!((left.text("PATH"), left.taken().len()), (Some("/bin"), 2));
        }
    }
}
