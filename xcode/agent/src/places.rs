//! Where things lie: `~/.xcode` and the `.x-code` of a project, both spellings in one type. Absent: what the
//! files say.

#[cfg(test)]
mod tests;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use host::Beneath;
use ledger::places::HISTORIAN;
use ledger::records::{Ledger, Record as _};

/// The folder of the sessions, below the root of the workspace.
const PROJECT_SESSIONS: &str = ".x-code/sessions";
/// The file that keeps sessions and what is local out of git, below the root of the workspace.
const PROJECT_IGNORE: &str = ".x-code/.gitignore";
/// What is known of the project, below the root of the workspace.
pub(crate) const KNOWLEDGE: &str = ".x-code/knowledge.md";
/// The guides of other programs, the first that is there.
const GUIDES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
const IGNORED: &str = "sessions/\nlocal/\n";
/// How long another process may hold the lock of a small file: it is held for one read and one write.
const LOCK_MAX: Duration = Duration::from_secs(2);

/// The two folders of X-Code: the user's and the project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    home: PathBuf,
    root: PathBuf,
}

/// A folder with sessions. Nothing in it is reached through a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionFolder {
    beneath: Beneath,
    folder: &'static str,
    pub(crate) scope: Scope,
}

/// Whose sessions lie in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The sessions of this workspace.
    Project,
    /// The sessions of all workspaces that have no folder for them.
    Global,
}

impl Places {
    /// The folder of the user, below the home folder.
    pub const GLOBAL: &str = ".xcode";
    /// The folder of a project, below the root of the workspace.
    pub const PROJECT: &str = ".x-code";

    /// The places of a user with this home folder who works in this workspace. Nothing is touched yet.
    #[must_use]
    pub fn new(home: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), root: root.into() }
    }

    /// The root of the workspace.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The root of the workspace, by no link.
    #[must_use]
    pub(crate) fn real_root(&self) -> PathBuf {
        real(&self.root)
    }

    /// The home folder, by no link.
    pub(crate) fn real_home(&self) -> PathBuf {
        real(&self.home)
    }

    /// The guide of other programs that stands for `knowledge.md` where it is absent: the nearest `AGENTS.md` from the
    /// root of the workspace up to that of its repository, else the nearest `CLAUDE.md`. A repository of another user
    /// and the home folder are not looked into from below.
    pub(crate) fn guide(&self) -> Option<PathBuf> {
        let root = self.real_root();
        if root.join(KNOWLEDGE).symlink_metadata().is_ok() {
            return None;
        }
        let top = self.project_top();
        let folders = || root.ancestors().take_while(|folder| folder.starts_with(&top));
        let nearest = |name: &str| {
            let mut files = folders().map(|folder| folder.join(name));
            files.find(|file| file.symlink_metadata().is_ok())
        };
        GUIDES.into_iter().find_map(nearest)
    }

    /// The project around the workspace that has a ledger of the court; none where there is no ledger.
    pub(crate) fn with_ledger(&self) -> Option<PathBuf> {
        ledger::places::with_ledger(&self.real_root(), &self.real_home())
    }

    /// The file of that ledger.
    pub(crate) fn ledger(&self) -> Option<PathBuf> {
        Some(self.with_ledger()?.join(HISTORIAN).join(Ledger::NAME))
    }

    /// The root of the repository that the workspace lies in; its own root where it is in none.
    pub(crate) fn project_top(&self) -> PathBuf {
        host::project::root(&self.root, Some(&self.home))
    }

    /// `~/.xcode`, this user's alone: it is made with mode 0700, and refused where others may open it.
    /// Paths begin below it.
    #[must_use]
    pub fn global(&self) -> Beneath {
        Beneath::private(&self.home, Self::GLOBAL)
    }

    /// `~/.xcode` for reading what the user wrote there: others may look into it, and nothing is made.
    pub(crate) fn global_files(&self) -> Beneath {
        Beneath::of(self.home.join(Self::GLOBAL))
    }

    /// The root of the workspace, for reading what lies in `.x-code`: paths begin with it. To write there,
    /// ask [`Places::make_project`] first.
    #[must_use]
    pub fn project(&self) -> Beneath {
        Beneath::of(&self.root).ignoring(&[PROJECT_SESSIONS]).closing(&[PROJECT_SESSIONS])
    }

    /// Makes `.x-code`, and in it the file that keeps `sessions/` and `local/` out of git, unless it has
    /// one.
    ///
    /// # Errors
    /// What the file system says; [`host::Link`] inside where `.x-code` is a link.
    pub fn make_project(&self) -> io::Result<()> {
        let project = self.project();
        project.make(Self::PROJECT)?;
        match project.metadata(PROJECT_IGNORE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                project.replace(PROJECT_IGNORE, IGNORED.as_bytes())
            }
            found => found.map(drop),
        }
    }

    /// The folders in which sessions of this workspace may lie, the one for a new session first.
    pub(crate) fn sessions(&self) -> Vec<SessionFolder> {
        let global =
            SessionFolder { beneath: self.global(), folder: "sessions", scope: Scope::Global };
        if self.is_home() {
            return vec![global];
        }
        let project = SessionFolder {
            beneath: self.project(),
            folder: PROJECT_SESSIONS,
            scope: Scope::Project,
        };
        vec![project, global]
    }

    /// The workspace as a journal names it: the same by whichever link it was come to.
    pub(crate) fn cwd(&self) -> String {
        real(&self.root).display().to_string()
    }

    /// The workspace is the home folder.
    pub(crate) fn is_home(&self) -> bool {
        real(&self.home) == real(&self.root)
    }

    /// Makes a folder of sessions.
    ///
    /// # Errors
    /// What the file system says, a link, a folder that is open to others.
    pub(crate) fn make(&self, sessions: &SessionFolder) -> io::Result<()> {
        if sessions.scope == Scope::Project {
            self.make_project()?;
        }
        sessions.beneath.make(sessions.folder)
    }
}

impl SessionFolder {
    /// What lies below, by paths of [`SessionFolder::at`].
    pub(crate) fn beneath(&self) -> &Beneath {
        &self.beneath
    }

    /// The path of a name in it, for [`SessionFolder::beneath`].
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        Path::new(self.folder).join(name)
    }

    /// The absolute path of a name in it, to be shown.
    pub(crate) fn shown(&self, name: &str) -> PathBuf {
        self.beneath.path().join(self.folder).join(name)
    }

    /// The names in it; none where it is absent.
    ///
    /// # Errors
    /// What the file system says, a link, a folder that is open to others.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        match self.beneath.names(self.folder) {
            Ok(names) => Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Waits until its names are on disk.
    ///
    /// # Errors
    /// What the file system says.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.beneath.sync(self.folder)
    }
}

/// Locks a file that is only there for it, until it is dropped: processes change the file beside it one after another.
///
/// # Errors
/// What the file system says; [`io::ErrorKind::TimedOut`] where another process holds the lock all the time.
pub(crate) fn lock(beneath: &Beneath, path: impl AsRef<Path>) -> io::Result<File> {
    let file = beneath.lock_file(path)?;
    match host::lock_until(&file, Instant::now() + LOCK_MAX) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::TimedOut.into()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The folder behind all links; as it is where it cannot be looked at.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
