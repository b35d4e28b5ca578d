//! Where things lie: the project, the two folders of records in it, the user's own. Absent: reading them,
//! and who says where the project is.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use host::{Beneath, Environment, UserFolder, environment};
use sha2::{Digest as _, Sha256};

use crate::records::{Ledger, Record as _};

/// The folder of ledger, nodes, packets and memory, below the project's root.
pub const HISTORIAN: &str = ".claude/historian";
/// The folder of manifest, cursor and the project's settings, below the project's root.
pub const COURT: &str = ".court";

/// The folders of one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// The project's root, absolute.
    pub project: PathBuf,
    /// The user's home folder; the root of the file system where there is none.
    pub home: PathBuf,
    /// The state folder of all our programs; `None` where there is no home.
    pub state_dir: Option<PathBuf>,
    /// A name for the project's root.
    root: String,
    /// A name for what is at that root now.
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

    /// The same for the user whose environment this is.
    #[must_use]
    pub fn in_environment(project: PathBuf, environment: &Environment) -> Self {
        let home = environment.folder(environment::HOME).unwrap_or_else(|| PathBuf::from("/"));
        let named = environment.folder(environment::STATE_DIR);
        let usual = || Some(environment.user_folder(UserFolder::State)?.join("codex-bridge"));
        Self::of(project, home, named.or_else(usual))
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

    /// Names the project's root among all of the user's: 32 hexadecimal digits.
    pub fn key(&self) -> &str {
        &self.root
    }

    /// The court's own folder for all projects, as the user's alone.
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

/// The nearest folder upwards of `here` that has a ledger, where that is of this project: nothing is above a
/// repository, and the home folder is the project of who works in it alone.
#[must_use]
pub fn with_ledger(here: &Path, home: &Path) -> Option<PathBuf> {
    let project = upwards(here);
    let is_home = project == home && here != home;
    let ledger = project.join(HISTORIAN).join(Ledger::NAME);
    (!is_home && fs::symlink_metadata(ledger).is_ok_and(|found| found.is_file())).then_some(project)
}

/// The nearest folder upwards that has a court, a ledger or a repository, and else the folder itself.
#[must_use]
pub fn upwards(here: &Path) -> PathBuf {
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

    use super::Places;

    #[test]
    fn another_repository_at_the_same_path_has_other_grants() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("shop");
        let find = || Places::of(root.clone(), "/h".into(), Some("/h/state/codex-bridge".into()));
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
