//! The paths of a project: the project, the two folders of records in it, and the user's folders. Not here: reading them,
//! and how the project is found.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use host::{Beneath, Environment, UserFolder, environment};
use sha2::{Digest as _, Sha256};

use crate::records::{Ledger, Record as _};

/// The folder of ledger, nodes, packets and memory, relative to the project's root.
pub const HISTORIAN: &str = ".claude/historian";
/// The folder of manifest, cursor and the project's settings, relative to the project's root.
pub const COURT: &str = ".court";

/// The folders of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project's root, absolute.
    pub project: PathBuf,
    /// The user's home folder; `/` if there is none.
    pub home: PathBuf,
    /// The state folder of all our programs; `None` if there is no home folder.
    pub state_dir: Option<PathBuf>,
    /// Digest of the root's path.
    root: String,
    /// Digest that identifies the repository currently at that root.
    identity: String,
}

impl Places {
    /// The folders of the project at this root; `home` and `state_dir` are the user's.
    #[must_use]
    pub fn of(project: PathBuf, home: PathBuf, state_dir: Option<PathBuf>) -> Self {
        let real = fs::canonicalize(&project).unwrap_or_else(|_| project.clone());
        Self {
            root: short_hash(real.as_os_str().as_bytes()),
            identity: identity(&real),
            project,
            home,
            state_dir,
        }
    }

    /// The same for the user with this environment.
    #[must_use]
    pub fn in_environment(project: PathBuf, environment: &Environment) -> Self {
        let home = environment.folder(environment::HOME).unwrap_or_else(|| PathBuf::from("/"));
        let named = environment.folder(environment::STATE_DIR);
        let usual = || Some(environment.user_folder(UserFolder::State)?.join("codex-bridge"));
        Self::of(project, home, named.or_else(usual))
    }

    /// Folders that had to be accessed to find these.
    pub fn answering(&self) -> [&Path; 2] {
        [&self.project, &self.home]
    }

    /// The folder for this root in the user's state folder. Private.
    pub fn state(&self) -> Option<Beneath> {
        self.private(&[&self.root])
    }

    /// The same for the repository currently at this root: one that replaces it later, by a
    /// move or a new clone, has another folder.
    pub fn grants(&self) -> Option<Beneath> {
        self.private(&[&self.root, &self.identity])
    }

    /// Distinguishes the repository at this root from another one at the same path.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Identifies the project's root among those of the user: 32 hexadecimal digits.
    pub fn key(&self) -> &str {
        &self.root
    }

    /// The court's own folder for all projects. Private.
    pub fn projects(&self) -> Option<Beneath> {
        self.private(&[])
    }

    /// The court's own folder for all projects.
    pub fn court_state(&self) -> PathBuf {
        self.state_dir.as_deref().unwrap_or(Path::new("/")).join("court")
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
}

/// The nearest folder at or above `here` that has a ledger of this project: the search ends at a
/// repository, and the home folder counts only for work in it directly.
#[must_use]
pub fn with_ledger(here: &Path, home: &Path) -> Option<PathBuf> {
    let project = upwards(here);
    let is_home = project == home && here != home;
    let ledger = project.join(HISTORIAN).join(Ledger::NAME);
    (!is_home && fs::symlink_metadata(ledger).is_ok_and(|found| found.is_file())).then_some(project)
}

/// The nearest folder at or above that has a court, a ledger or a repository, else the folder itself.
#[must_use]
pub fn upwards(here: &Path) -> PathBuf {
    let marked = |folder: &Path| {
        [".court", ".claude/historian", ".git"].iter().any(|mark| folder.join(mark).exists())
    };
    // A project of another owner is not trusted, nor is anything above it.
    host::own::project_around(here, marked).unwrap_or(here).to_path_buf()
}

/// Distinguishes this root, and the repository in it, from another at the same path: inode numbers are
/// reused, so the birth time counts too if the file system has it.
fn identity(root: &Path) -> String {
    let mut parts = String::new();
    for path in [root.to_owned(), root.join(".git")] {
        let Ok(found) = fs::symlink_metadata(path) else {
            parts.push_str("none;");
            continue;
        };
        let born = found.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        // The number of a device may change at a reboot.
        let born =
            born.map_or_else(|| format!("on {}", found.dev()), |at| at.as_nanos().to_string());
        parts.push_str(&format!("{} {born};", found.ino()));
    }
    short_hash(parts.as_bytes())
}

/// A prefix of a SHA-256 that is long enough to be unique, as a folder name.
fn short_hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Places;

    #[test]
    fn another_repository_at_the_same_path_has_other_grants() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        let find = || Places::of(root.clone(), "/h".into(), Some("/h/state/codex-bridge".into()));
        fs::create_dir_all(root.join(".git")).unwrap();
        let first = find();
        assert_eq!(first, find());
        // The first repository is moved away, and another is cloned to its path.
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
