//! What git knows of the tree: the commit it stands on, its past, and what was changed since. It is
//! asked through a reader that starts nothing of the repository's own.
//!
//! Absent: any knowledge of the engine's own index.

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

/// How much of one git command's output is read, in bytes. Ten years of a large project's `git log
/// --numstat` are a tenth of it.
const OUTPUT_MAX: usize = 64 << 20;

/// The part of an answer's time that git may take.
pub(crate) const GIT_PART: f64 = 0.85;

/// How long one question to git takes at most, whatever the answer's own deadline.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Why git has nothing to say. Its text is a limit that an answer can carry.
#[derive(Debug, Error)]
pub enum GitError {
    /// No git was found on the path.
    #[error("git is not installed: nothing is known of the history")]
    NotInstalled,
    /// The folder belongs to no repository.
    #[error("not in a git repository: nothing is known of the history")]
    NotARepository,
    /// The repository is another user's.
    #[error("{top} is a repository of user {owner}: nothing of it is believed, and nothing is known of the history", top = top.display())]
    Foreign {
        /// The repository.
        top: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// The repository has no commit yet.
    #[error("the repository has no commit yet")]
    NoCommit,
    /// There was no time left, or git used it up.
    #[error("git did not answer in time")]
    Late,
    /// Git answered with an error: the repository is broken, shallow in a way that hurts, or new to
    /// this git.
    #[error("git {command} failed: {said}")]
    Failed {
        /// What it was asked.
        command: String,
        /// The last line of what it said.
        said: String,
    },
    /// Git could not be started.
    #[error("git cannot be run")]
    Start(#[source] HelperError),
    /// The folder in the cache that stands in for the git folder cannot be written.
    #[error("the cache folder {path} cannot be written", path = path.display())]
    Cache {
        /// The folder.
        path: PathBuf,
        /// What the system said.
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
    /// The folder that the answers are about.
    root: PathBuf,
    /// The reader's folder in the cache; holds the cached history too.
    folder: PathBuf,
    head: String,
}

impl Git {
    /// Finds the repository around `root` and its current commit. `cache` is a folder of ours for
    /// this repository; `path` is the `PATH` on which git is looked for.
    ///
    /// # Errors
    /// Every variant of [`GitError`]; none of them is a reason not to answer without history.
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

    /// The commit that the work tree stands on, in hexadecimal.
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
