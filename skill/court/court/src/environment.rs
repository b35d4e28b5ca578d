//! The environment without what a project put there, and the names in it that the court reads.

use std::ops::Deref;

use claude_hooks::project_env;
use claude_hooks::settings::file::CLAUDE_CONFIG_DIR;
use host::agent::MARKS;

use crate::places;

pub use claude_hooks::project_env::PROJECT_DIR;

/// How the client was started; it sets this itself for what it starts (2.1.197: `cli` at a terminal, `sdk-cli`
/// with `-p` or without a terminal; the SDKs have others of that beginning).
pub const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";
/// Set in what the client's tools run, beside the marks of all agents.
const SESSION_ID: &str = "CLAUDE_CODE_SESSION_ID";
/// The user's settings of the court, in place of `codex-bridge/court.toml` in the config folder.
pub const CONFIG: &str = "COURT_CONFIG";

/// Variables beside `COURT_*`, `CODEX_BRIDGE_*` and `XDG_*` that say where the user's own things are, or who
/// sits at the client.
const USERS_OWN: [&str; 3] = ["HOME", CLAUDE_CONFIG_DIR, ENTRYPOINT];

/// Who reads what the client says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A person at a terminal or in an editor; also where that is not known.
    Person,
    /// A program: `claude -p`, or one that uses an SDK.
    Program,
}

/// The environment, as far as it is the user's.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    kept: host::Environment,
    /// Variables that were taken away, each with the file that set it.
    taken: Vec<(String, String)>,
}

impl Environment {
    /// What this process was started with, without what the project's own settings of the client put
    /// there: those are a stranger's, and these variables decide whether and how the user is guarded. The
    /// user's own values are taken from the client's process in their place.
    pub fn of_process() -> Self {
        Self { kept: host::Environment::of_process(), taken: Vec::new() }.without_the_projects()
    }

    /// An environment of these variables only.
    pub fn of<'a>(variables: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self { kept: variables.into_iter().collect(), taken: Vec::new() }
    }

    /// The variables that were taken away because a file of the project sets them, with that file.
    pub fn taken(&self) -> &[(String, String)] {
        &self.taken
    }

    fn without_the_projects(mut self) -> Self {
        let upwards = || places::upwards(self.working_dir());
        let project = self.folder(PROJECT_DIR).unwrap_or_else(upwards);
        (self.kept, self.taken) = project_env::without(self.kept, &project, is_users_own);
        self
    }

    /// Who reads what the client says.
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

/// The variables that only what the tools of an agent run has.
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
