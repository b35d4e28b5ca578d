//! What git knows that was changed in a session, asked through a reader that starts nothing of the
//! repository's own. Absent: writing into the repository, the network, a judgement.

use std::env::temp_dir;
use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use git_reader::{GitQuery, GitReader};

pub use git_reader::Silent;

/// How much of one answer is read, in bytes; what is longer is cut.
const OUTPUT_MAX: usize = 256 * 1024;

/// A repository, until a moment.
#[derive(Debug)]
pub struct Git {
    reader: GitReader,
    /// Where the reader's folder is; gone when this is dropped.
    _folder: tempfile::TempDir,
    until: Instant,
}

impl Git {
    /// Finds the repository around `folder`, with the git on `path` (a value of `PATH`).
    ///
    /// # Errors
    /// Every variant of [`Silent`]; none of them is a reason to stop anything.
    pub fn open(folder: &Path, path: &OsStr, until: Instant) -> Result<Self, Silent> {
        let stand_in = tempfile::Builder::new().prefix("court-git-").tempdir();
        let stand_in = stand_in.map_err(|source| Silent::Folder { path: temp_dir(), source })?;
        let reader = GitReader::open(folder, stand_in.path(), path, until)?;
        Ok(Self { reader, _folder: stand_in, until })
    }

    /// The commit that the work tree stands on; none before the first.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.reader.head()
    }

    /// What an empty tree is called, which stands for the time before the first commit.
    ///
    /// # Errors
    /// As [`Git::ask`].
    pub fn empty_tree(&self) -> Result<String, Silent> {
        Ok(self.ask(&["hash-object", "-t", "tree", "/dev/null"])?.trim().to_owned())
    }

    /// Whether the repository still has this commit.
    ///
    /// # Errors
    /// As [`Git::ask`], but for an answer of no.
    pub fn has_commit(&self, commit: &str) -> Result<bool, Silent> {
        match self.ask(&["cat-file", "-e", &format!("{commit}^{{commit}}")]) {
            Ok(_) => Ok(true),
            Err(Silent::Failed { .. }) => Ok(false),
            Err(silent) => Err(silent),
        }
    }

    /// Asks git about the objects and the work tree, and gives what it prints, cut where it is long.
    ///
    /// # Errors
    /// [`Silent::Late`] at the deadline, [`Silent::Failed`] when git does not like the question,
    /// [`Silent::Start`] when it does not run.
    pub fn ask(&self, args: &[&str]) -> Result<String, Silent> {
        let (from, until) = (self.reader.top(), self.until);
        let told = self.reader.ask(&GitQuery { args, from, until, output_max: OUTPUT_MAX })?;
        Ok(String::from_utf8_lossy(&told.stdout).into_owned())
    }
}
