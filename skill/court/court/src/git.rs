//! Asks git what was changed in a session, through a reader that executes nothing of the
//! repository. Not here: writing into the repository, the network, decisions.

use std::env::temp_dir;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use git_reader::{GitQuery, GitReader};

pub use git_reader::Silent;

/// Maximum size of git's output, in bytes; longer output is truncated.
const OUTPUT_MAX: usize = 256 * 1024;

/// A repository, with a deadline.
#[derive(Debug)]
pub struct Git {
    reader: GitReader,
    /// The reader's temporary folder; removed when dropped.
    _folder: tempfile::TempDir,
    until: Instant,
}

impl Git {
    /// Finds the repository around `folder`, with the git on `path` (a value of `PATH`).
    ///
    /// # Errors
    /// Any variant of [`Silent`]; none of them should stop anything.
    pub fn open(folder: &Path, path: &OsStr, until: Instant) -> Result<Self, Silent> {
        let stand_in = tempfile::Builder::new().prefix("court-git-").tempdir();
        let stand_in = stand_in.map_err(|source| Silent::Folder { path: temp_dir(), source })?;
        let reader = GitReader::open(folder, stand_in.path(), path, until)?;
        Ok(Self { reader, _folder: stand_in, until })
    }

    /// The commit of the work tree; `None` before the first.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.reader.head()
    }

    /// The id of the empty tree, which represents the time before the first commit.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn empty_tree(&self) -> Result<String, Silent> {
        Ok(self.ask(&["hash-object", "-t", "tree", "/dev/null"])?.trim().to_owned())
    }

    /// Whether the repository still contains this commit.
    ///
    /// # Errors
    /// As [`Git::ask`], except for a negative answer.
    pub fn has_commit(&self, commit: &str) -> Result<bool, Silent> {
        match self.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")]) {
            Ok(_) => Ok(true),
            Err(Silent::Failed { .. }) => Ok(false),
            Err(silent) => Err(silent),
        }
    }

    /// Runs a read-only git command, and returns its output, truncated if it is long.
    ///
    /// # Errors
    /// [`Silent::Late`] at the deadline, [`Silent::Failed`] if git fails,
    /// [`Silent::Start`] if it cannot be started.
    pub fn ask(&self, args: &[&str]) -> Result<String, Silent> {
        let (from, until) = (self.reader.top(), self.until);
        let told = self.reader.ask(&GitQuery { args, from, until, output_max: OUTPUT_MAX })?;
        Ok(String::from_utf8_lossy(&told.stdout).into_owned())
    }
}
