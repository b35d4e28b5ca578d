//! The paths of a call: the project with its records, and the
//! user's settings, as set by the client and the user. Not here: reading them.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use host::UserFolder;

use crate::approver::{Approver, Files};
use crate::environment::{self, Environment};

pub use ::ledger::places::{COURT, HISTORIAN, upwards};

/// The folders of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Project, home and state.
    records: ledger::places::Places,
    /// The user's settings of the court; may not exist.
    pub user_config: PathBuf,
    /// The user's configuration of codex-bridge.
    pub configuration: PathBuf,
    /// The folder of the client's user settings.
    pub client_config: PathBuf,
}

impl Places {
    /// Finds the folders. The project is set by the client; without a client it is the nearest
    /// folder at or above `here` that has a court, a ledger or a repository, else `here`.
    pub fn find(environment: &Environment, here: &Path) -> Self {
        let project = environment.folder(environment::PROJECT_DIR).unwrap_or_else(|| upwards(here));
        Self::of_project(project, environment)
    }

    /// The folders of the project at this root.
    pub fn of_project(project: PathBuf, environment: &Environment) -> Self {
        let ours = |kind| Some(environment.user_folder(kind)?.join("codex-bridge"));
        let configuration =
            ours(UserFolder::Config).unwrap_or_else(|| PathBuf::from("/codex-bridge"));
        Self {
            user_config: environment
                .folder(environment::CONFIG)
                .unwrap_or_else(|| configuration.join("court.toml")),
            configuration,
            client_config: claude_hooks::settings::file::users_folder(environment)
                .unwrap_or_else(|| PathBuf::from("/.claude")),
            records: ledger::places::Places::in_environment(project, environment),
        }
    }

    /// The user's approver.
    pub fn approver(&self) -> Approver {
        Approver::new(Files::of(&self.configuration, &self.court_state()))
    }

    /// The project's settings of the court.
    pub fn project_config(&self) -> PathBuf {
        self.court().join("court.toml")
    }
}

impl Deref for Places {
    type Target = ledger::places::Places;

    fn deref(&self) -> &ledger::places::Places {
        &self.records
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::Places;
    use crate::environment::Environment;

    #[test]
    fn the_client_says_where_the_project_is_whatever_the_working_folder() {
        let environment =
            Environment::of([("CLAUDE_PROJECT_DIR", "/home/ann/p"), ("HOME", "/home/ann")]);
        let places = Places::find(&environment, Path::new("/home/ann/p/sub"));
        assert_eq!(places.historian(), Path::new("/home/ann/p/.claude/historian"));
        assert_eq!(places.project_config(), Path::new("/home/ann/p/.court/court.toml"));
        assert_eq!(places.user_config, Path::new("/home/ann/.config/codex-bridge/court.toml"));
        assert_eq!(places.client_config, Path::new("/home/ann/.claude"));
        let state = places.state().unwrap().path();
        assert!(state.starts_with("/home/ann/.local/state/codex-bridge/court"), "{state:?}");
        assert!(places.grants().unwrap().path().starts_with(state));
    }

    #[test]
    fn without_a_client_the_nearest_marked_folder_is_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let environment = Environment::of([("CLAUDE_PROJECT_DIR", "relative/is/ignored")]);
        fs::create_dir(folder.path().join("a/.court")).unwrap();
        let places = Places::find(&environment, &below);
        assert_eq!(places.project, folder.path().join("a"));
        assert_eq!(places.state(), None, "without a home there is no state");
    }
}
