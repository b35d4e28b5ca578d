//! Where things lie: the project, the court's two folders in it, the user's own. Absent: reading them.

use std::path::{Path, PathBuf};

use crate::environment::{self, Environment};

/// The folders of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project's root, absolute.
    pub project: PathBuf,
    /// The user's home folder; the root of the file system where there is none.
    pub home: PathBuf,
    /// The user's settings of the court, whether they exist or not.
    pub user_config: PathBuf,
    /// Where the client keeps the user's settings.
    pub client_config: PathBuf,
}

impl Places {
    /// Finds the folders. The project is what the client says; without a client it is the nearest
    /// folder upwards of `here` that has a court, a ledger or a repository, and else `here`.
    pub fn find(environment: &Environment, here: &Path) -> Self {
        let home = environment.path("HOME").unwrap_or_else(|| PathBuf::from("/"));
        let project = environment.path(environment::PROJECT_DIR);
        let config_home =
            environment.path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        Self {
            project: project.unwrap_or_else(|| upwards(here)),
            user_config: environment
                .path(environment::CONFIG)
                .unwrap_or_else(|| config_home.join("codex-bridge").join("court.toml")),
            client_config: environment
                .path(environment::CLIENT_CONFIG_DIR)
                .unwrap_or_else(|| home.join(".claude")),
            home,
        }
    }

    /// The folder of ledger, nodes, packets and memory.
    pub fn historian(&self) -> PathBuf {
        self.project.join(".claude").join("historian")
    }

    /// The folder of manifest, cursor, reviews and the project's settings.
    pub fn court(&self) -> PathBuf {
        self.project.join(".court")
    }

    /// The project's settings of the court.
    pub fn project_config(&self) -> PathBuf {
        self.court().join("court.toml")
    }
}

fn upwards(here: &Path) -> PathBuf {
    let marked = |folder: &&Path| {
        [".court", ".claude/historian", ".git"].iter().any(|mark| folder.join(mark).exists())
    };
    here.ancestors().find(marked).unwrap_or(here).to_path_buf()
}

#[cfg(test)]
mod tests {
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
    }

    #[test]
    fn without_a_client_the_nearest_marked_folder_is_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        let environment = Environment::of([("CLAUDE_PROJECT_DIR", "relative/is/ignored")]);
        std::fs::create_dir(folder.path().join("a/.court")).unwrap();
        assert_eq!(Places::find(&environment, &below).project, folder.path().join("a"));
    }
}
