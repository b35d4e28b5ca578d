//! The locations of X-Code's files: `~/.xcode` and a project's `.x-code`, both names in one type. Not here: the
//! files' content.

#[cfg(test)]
mod tests;

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use host::Beneath;
use ledger::places::HISTORIAN;
use ledger::records::{Ledger, Record as _};

/// The folder of sessions, below the workspace's root.
const PROJECT_SESSIONS: &str = ".x-code/sessions";
/// The file that excludes sessions and local files from git, below the workspace's root.
const PROJECT_IGNORE: &str = ".x-code/.gitignore";
/// The file of project knowledge, below the workspace's root.
pub(crate) const KNOWLEDGE: &str = ".x-code/knowledge.md";
/// The guides for other agents, of which the first existing one is used.
const GUIDES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
const IGNORED: &str = "sessions/\nlocal/\n";
/// How long to wait for the lock of a small file: it is held for one read and one write.
const LOCK_MAX: Duration = Duration::from_secs(2);

/// The two folders of X-Code: the user's and the project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    home: PathBuf,
    root: PathBuf,
}

/// A folder of sessions. Nothing in it is accessed through a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionFolder {
    beneath: Beneath,
    folder: &'static str,
    pub(crate) scope: Scope,
}

/// Which sessions a folder has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of this workspace.
    Project,
    /// Those of all workspaces that have no folder of their own.
    Global,
}

impl Places {
    /// The user's folder, below the home folder.
    pub const GLOBAL: &str = ".xcode";
    /// A project's folder, below the workspace's root.
    pub const PROJECT: &str = ".x-code";

    /// The locations for a user with this home folder and this workspace. Nothing is accessed yet.
    #[must_use]
    pub fn new(home: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        Self { home: home.into(), root: root.into() }
    }

    /// The workspace's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The workspace's root with links resolved.
    #[must_use]
    pub(crate) fn real_root(&self) -> PathBuf {
        real(&self.root)
    }

    /// The home folder with links resolved.
    pub(crate) fn real_home(&self) -> PathBuf {
        real(&self.home)
    }

    /// The guide for other agents that is used if `knowledge.md` is absent: the nearest `AGENTS.md` from the
    /// workspace's root up to its repository's top, else the nearest `CLAUDE.md`. The search does not go up into a repository of
    /// another user or into the home folder.
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

    /// The project around the workspace that has a ledger of the court; none if there is no ledger.
    pub(crate) fn with_ledger(&self) -> Option<PathBuf> {
        ledger::places::with_ledger(&self.real_root(), &self.real_home())
    }

    /// The path of that ledger.
    pub(crate) fn ledger(&self) -> Option<PathBuf> {
        Some(self.with_ledger()?.join(HISTORIAN).join(Ledger::NAME))
    }

    /// The top of the repository around the workspace; the workspace's root if there is none.
    pub(crate) fn project_top(&self) -> PathBuf {
        host::project::root(&self.root, Some(&self.home))
    }

    /// `~/.xcode`, private to this user: it is created with mode 0700, and refused if others have access.
    /// Paths are relative to it.
    #[must_use]
    pub fn global(&self) -> Beneath {
        Beneath::private(&self.home, Self::GLOBAL)
    }

    /// `~/.xcode` for reading the user's own files: others may have access, and nothing is created.
    pub(crate) fn global_files(&self) -> Beneath {
        Beneath::of(self.home.join(Self::GLOBAL))
    }

    /// The workspace's root, for reading `.x-code`: paths are relative to the root. Before writing there,
    /// call [`Places::make_project`].
    #[must_use]
    pub fn project(&self) -> Beneath {
        Beneath::of(&self.root).ignoring(&[PROJECT_SESSIONS]).closing(&[PROJECT_SESSIONS])
    }

    /// Creates `.x-code`, and in it the file that excludes `sessions/` and `local/` from git, unless it
    /// exists.
    ///
    /// # Errors
    /// An error of the file system; it contains [`host::Link`] if `.x-code` is a link.
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

    /// The folders that may have sessions of this workspace, the one for a new session first.
    pub(crate) fn sessions(&self) -> Vec<SessionFolder> {
        let global =
            SessionFolder { beneath: self.global(), folder: "sessions", scope: Scope::Global };
        if self.is_home() || !self.is_own_project() {
            return vec![global];
        }
        let project = SessionFolder {
            beneath: self.project(),
            folder: PROJECT_SESSIONS,
            scope: Scope::Project,
        };
        vec![project, global]
    }

    /// The workspace's path in a journal, with links resolved.
    pub(crate) fn cwd(&self) -> String {
        real(&self.root).display().to_string()
    }

    /// No other user can read what is kept in the workspace, or put something else in its place: a session that goes on
    /// is told to the model as what happened.
    fn is_own_project(&self) -> bool {
        let folders = ["", Self::PROJECT, PROJECT_SESSIONS].map(|name| self.root.join(name));
        folders.iter().all(|folder| host::own::check_settings_folder(folder).is_ok())
    }

    /// The workspace is the home folder.
    pub(crate) fn is_home(&self) -> bool {
        real(&self.home) == real(&self.root)
    }

    /// Creates a folder of sessions.
    ///
    /// # Errors
    /// An error of the file system, a link, or a folder that others have access to.
    pub(crate) fn make(&self, sessions: &SessionFolder) -> io::Result<()> {
        if sessions.scope == Scope::Project {
            self.make_project()?;
        }
        sessions.beneath.make(sessions.folder)
    }
}

impl SessionFolder {
    /// Access to its content, by paths of [`SessionFolder::at`].
    pub(crate) fn beneath(&self) -> &Beneath {
        &self.beneath
    }

    /// The path of a name in it, for use with [`SessionFolder::beneath`].
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        Path::new(self.folder).join(name)
    }

    /// The absolute path of a name in it, for display.
    pub(crate) fn shown(&self, name: &str) -> PathBuf {
        self.beneath.path().join(self.folder).join(name)
    }

    /// The names in it; empty if it is absent.
    ///
    /// # Errors
    /// An error of the file system, a link, or a folder that others have access to.
    pub(crate) fn names(&self) -> io::Result<Vec<String>> {
        match self.beneath.names(self.folder) {
            Ok(names) => Ok(names.into_iter().filter_map(|name| name.into_string().ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Syncs its names to disk.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.beneath.sync(self.folder)
    }
}

/// Locks a lock file until the result is dropped, so that processes change the file beside it one after another.
///
/// # Errors
/// An error of the file system; [`io::ErrorKind::TimedOut`] if another process holds the lock for too long.
pub(crate) fn lock(beneath: &Beneath, path: impl AsRef<Path>) -> io::Result<File> {
    let file = beneath.lock_file(path)?;
    match host::lock_until(&file, Instant::now() + LOCK_MAX) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(io::ErrorKind::TimedOut.into()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A folder with links resolved; unchanged if that fails.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
