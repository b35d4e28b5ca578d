//! Where things lie: the project, the court's two folders in it, the user's own. Absent: reading them.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use host::{Beneath, UserFolder};
use sha2::{Digest as _, Sha256};

use crate::approver::{Approver, Files};
use crate::environment::{self, Environment};

/// The folder of ledger, nodes, packets and memory, below the project's root.
pub const HISTORIAN: &str = ".claude/historian";
/// The folder of manifest, cursor and the project's settings, below the project's root.
pub const COURT: &str = ".court";

/// The folders of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project's root, absolute.
    pub project: PathBuf,
    /// The user's home folder; the root of the file system where there is none.
    pub home: PathBuf,
    /// The user's settings of the court, whether they exist or not.
    pub user_config: PathBuf,
    /// The user's configuration of codex-bridge.
    pub configuration: PathBuf,
    /// Where the client keeps the user's settings.
    pub client_config: PathBuf,
    /// The state folder of all our programs; `None` where there is no home.
    pub state_dir: Option<PathBuf>,
    /// A name for the project's root.
    root: String,
    /// A name for what is at that root now.
    identity: String,
}

impl Places {
    /// Finds the folders. The project is what the client says; without a client it is the nearest
    /// folder upwards of `here` that has a court, a ledger or a repository, and else `here`.
    pub fn find(environment: &Environment, here: &Path) -> Self {
        let home = environment.folder(host::environment::HOME);
        let project = environment.folder(environment::PROJECT_DIR).unwrap_or_else(|| upwards(here));
        let ours = |kind| Some(environment.user_folder(kind)?.join("codex-bridge"));
        let named = environment.folder(host::environment::STATE_DIR);
        let state_dir = named.or_else(|| ours(UserFolder::State));
        let configuration =
            ours(UserFolder::Config).unwrap_or_else(|| PathBuf::from("/codex-bridge"));
        let real = fs::canonicalize(&project).unwrap_or_else(|_| project.clone());
        let home = home.unwrap_or_else(|| PathBuf::from("/"));
        Self {
            user_config: environment
                .folder(environment::CONFIG)
                .unwrap_or_else(|| configuration.join("court.toml")),
            configuration,
            client_config: claude_hooks::settings::file::users_folder(environment)
                .unwrap_or_else(|| PathBuf::from("/.claude")),
            root: short_hash(real.as_os_str().as_bytes()),
            identity: identity(&real),
            state_dir,
            project,
            home,
        }
    }

    /// Folders that were looked at to find these.
    pub fn answering(&self) -> [&Path; 2] {
        [&self.project, &self.home]
    }

    /// What the user's state folder has for this root. It is the user's alone.
    pub fn state(&self) -> Option<Beneath> {
        self.private(&[&self.root])
    }

    /// The same for the repository that is at this root now: one that is put in its place later, by a
    /// move or a new clone, has another.
    pub fn grants(&self) -> Option<Beneath> {
        self.private(&[&self.root, &self.identity])
    }

    /// What tells the repository at this root from another one at the same path.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The court's own folder for all projects.
    pub fn court_state(&self) -> PathBuf {
        self.state_dir.as_deref().unwrap_or(Path::new("/")).join("court")
    }

    /// The user's approver.
    pub fn approver(&self) -> Approver {
        Approver::new(Files::of(&self.configuration, &self.court_state()))
    }

    fn private(&self, parts: &[&str]) -> Option<Beneath> {
        let folder = self.state_dir.as_deref()?;
        let mut below = PathBuf::from(folder.file_name()?).join("court");
        below.extend(parts);
        Some(Beneath::private(folder.parent()?, below))
    }

    /// The folder of ledger, nodes, packets and memory.
    pub fn historian(&self) -> PathBuf {
        self.project.join(HISTORIAN)
    }

    /// The folder of manifest, cursor and the project's settings.
    pub fn court(&self) -> PathBuf {
        self.project.join(COURT)
    }

    /// The project's settings of the court.
    pub fn project_config(&self) -> PathBuf {
        self.court().join("court.toml")
    }
}

/// The nearest folder upwards that has a court, a ledger or a repository, and else the folder itself.
pub(crate) fn upwards(here: &Path) -> PathBuf {
    let marked = |folder: &Path| {
        [".court", ".claude/historian", ".git"].iter().any(|mark| folder.join(mark).exists())
    };
    // A project of another owner is not believed, and neither is what is above it.
    host::own::project_around(here, marked).unwrap_or(here).to_path_buf()
}

/// What tells this root, and the repository in it, from another at the same path: numbers are given
/// again, so the time of birth counts too where the file system knows it.
fn identity(root: &Path) -> String {
    let mut parts = String::new();
    for path in [root.to_owned(), root.join(".git")] {
        let Ok(found) = fs::symlink_metadata(path) else {
            parts.push_str("none;");
            continue;
        };
        let born = found.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        // The number of a device may change with each start of the machine.
        let born =
            born.map_or_else(|| format!("on {}", found.dev()), |at| at.as_nanos().to_string());
        parts.push_str(&format!("{} {born};", found.ino()));
    }
    short_hash(parts.as_bytes())
}

/// Enough of a SHA-256 that no two are found alike, as the name of a folder.
fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
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

    #[test]
    fn another_repository_at_the_same_path_has_other_grants() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        let find = || {
            let environment =
                Environment::of([("CLAUDE_PROJECT_DIR", root.to_str().unwrap()), ("HOME", "/h")]);
            Places::find(&environment, &root)
        };
        fs::create_dir_all(root.join(".git")).unwrap();
        let first = find();
        assert_eq!(first, find());
        // The first repository goes away, and another is cloned to where it was.
        fs::rename(&root, folder.path().join("old")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        assert_eq!(first.state(), find().state());
        assert_ne!(first.grants(), find().grants());
        let second = find();
        fs::rename(root.join(".git"), folder.path().join("git")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        assert_ne!(second.grants(), find().grants());
    }
}
