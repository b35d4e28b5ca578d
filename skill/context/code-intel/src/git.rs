//! Reads the repository's state from git: the current commit, its history, and uncommitted changes, through
//! a reader that executes nothing of the repository.
//!
//! Not here: any knowledge of the engine's index.

mod changes;
mod history;
mod messages;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use git_reader::{GitQuery, GitReader, Silent};
use supervise::{HelperError, HelperOutput};
use thiserror::Error;

use crate::deadline::Deadline;
use crate::root::RepoRoot;

pub use changes::{Change, Changed, LineRange};
pub use history::{Commit, FileChurn, History};
pub use messages::{Message, Messages};

/// Maximum output of one git command, in bytes. Ten years of a large project's `git log
/// --numstat` are a tenth of it.
const OUTPUT_MAX: usize = 64 << 20;

/// Fraction of an answer's time for git.
pub(crate) const GIT_PART: f64 = 0.85;

/// Timeout of one git command, independent of the answer's deadline.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Why git gave no result. The text can be used as a limit of an answer.
#[derive(Debug, Error)]
pub enum GitError {
    /// No git was found on the path.
    #[error("git is not installed: nothing is known of the history")]
    NotInstalled,
    /// The folder is not in a repository.
    #[error("not in a git repository: nothing is known of the history")]
    NotARepository,
    /// The repository belongs to another user.
    #[error("{top} is a repository of user {owner}: nothing of it is believed, and nothing is known of the history", top = top.display())]
    Foreign {
        /// The repository.
        top: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// The repository has no commit yet.
    #[error("the repository has no commit yet")]
    NoCommit,
    /// The time was used up.
    #[error("git did not answer in time")]
    Late,
    /// Git failed: the repository is damaged, shallow, or in a format unknown to
    /// this git.
    #[error("git {command} failed: {said}")]
    Failed {
        /// The command.
        command: String,
        /// The last line of its error output.
        said: String,
    },
    /// Git could not be started.
    #[error("git cannot be run")]
    Start(#[source] HelperError),
    /// The folder in the cache that replaces the git folder cannot be written.
    #[error("the cache folder {path} cannot be written", path = path.display())]
    Cache {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl From<Silent> for GitError {
    fn from(silent: Silent) -> Self {
        match silent {
            Silent::NotInstalled => Self::NotInstalled,
            Silent::NotARepository => Self::NotARepository,
            Silent::Foreign { top, owner } => Self::Foreign { top, owner },
            Silent::Late => Self::Late,
            Silent::Failed { command, said } => Self::Failed { command, said },
            Silent::Start(source) => Self::Start(source),
            Silent::Folder { path, source } => Self::Cache { path, source },
        }
    }
}

/// A repository with a commit.
#[derive(Debug)]
pub struct Git {
    reader: GitReader,
    /// The root folder.
    root: PathBuf,
    /// The reader's folder in the cache; also contains the cached history.
    folder: PathBuf,
    head: String,
}

impl Git {
    /// Finds the repository around `root` and its current commit. `cache` is our folder for
    /// this repository; `path` is the `PATH` that is searched for git.
    ///
    /// # Errors
    /// Any variant of [`GitError`]; answers are still possible without history.
    pub fn open(
        root: &RepoRoot,
        cache: &Path,
        path: &OsStr,
        deadline: &Deadline,
    ) -> Result<Self, GitError> {
        let folder = cache.join("git");
        let reader = GitReader::open(root.path(), &folder, path, until(deadline))?;
        let head = reader.head().ok_or(GitError::NoCommit)?.to_owned();
        Ok(Self { reader, root: root.path().to_owned(), folder, head })
    }

    /// The current commit of the work tree, in hexadecimal.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    fn ask(&self, args: &[&str], deadline: &Deadline) -> Result<HelperOutput, GitError> {
        let (from, until) = (self.root.as_path(), until(deadline));
        Ok(self.reader.ask(&GitQuery { args, from, until, output_max: OUTPUT_MAX })?)
    }
}

fn until(deadline: &Deadline) -> Instant {
    Instant::now() + deadline.remaining().min(TIME_MAX)
}

#[cfg(test)]
mod tests;
