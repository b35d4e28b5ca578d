//! What git knows of the tree: the commit it stands on, its past, and what was changed since.
//!
//! A repository may be hostile, and its configuration can name programs: `core.fsmonitor`,
//! `diff.external`, filters, text converters, hooks, pagers, `core.sshCommand`, and a `core.worktree`
//! that lies elsewhere. So git never works with that configuration here. It is asked once where its
//! objects and its index are, which starts nothing, and from then on runs with a folder of ours as
//! its git folder, which has no configuration, no attributes and no hooks, but reads those objects
//! and that index. Nothing is fetched, and nothing is written into the repository.
//!
//! Absent: any knowledge of the engine's own index.

mod changes;
mod history;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use supervise::{Brief, BriefEnd, BriefError, Told, brief, find_program};
use thiserror::Error;

use crate::deadline::Deadline;
use crate::root::RepoRoot;

pub use changes::{Change, Changed, LineRange};
pub use history::{Commit, FileChurn, History};

/// How much of one git command's output is read, in bytes. Ten years of a large project's `git log
/// --numstat` are a tenth of it.
const OUTPUT_MAX: usize = 64 << 20;

/// How long one question to git takes at most, whatever the answer's own deadline.
const TIME_MAX: Duration = Duration::from_secs(20);

/// The least time for which it is worth to start git.
const TIME_MIN: Duration = Duration::from_millis(20);

/// The configuration that git runs with: this, and no other file.
const CONFIG: &str = "[safe]\n\tdirectory = *\n[core]\n\tquotePath = false\n";

/// Why git has nothing to say. Its text is a limit that an answer can carry.
#[derive(Debug, Error)]
pub enum GitError {
    /// No git was found on the path.
    #[error("git is not installed: nothing is known of the history")]
    NotInstalled,
    /// The folder belongs to no repository.
    #[error("not in a git repository: nothing is known of the history")]
    NotARepository,
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
    Start(#[source] BriefError),
    /// The folder in the cache that stands in for the git folder cannot be written.
    #[error("the cache folder {path} cannot be written", path = path.display())]
    Cache {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// A repository, and a safe way to ask git about it.
#[derive(Debug)]
pub struct Git {
    program: PathBuf,
    /// The folder that the answers are about.
    root: PathBuf,
    /// The top of the work tree.
    top: PathBuf,
    /// Stands in for the git folder; holds the cached history.
    folder: PathBuf,
    head: String,
    objects: OsString,
    index: OsString,
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
        // Looked for here: `core.worktree` may say that the top is anywhere.
        let top = root.path().ancestors().find(|folder| folder.join(".git").exists());
        let top = top.ok_or(GitError::NotARepository)?.to_owned();
        let program = find_program("git", path).ok_or(GitError::NotInstalled)?;
        let folder = cache.join("git");
        let unwritable = |source| GitError::Cache { path: folder.clone(), source };
        write_new(&folder.join("global"), CONFIG.as_bytes()).map_err(unwritable)?;
        let mut git = Self {
            program,
            root: root.path().to_owned(),
            top,
            folder: folder.clone(),
            head: String::new(),
            objects: OsString::new(),
            index: OsString::new(),
        };
        let shallow = git.locate(deadline)?;
        git.stand_in(&shallow).map_err(unwritable)?;
        Ok(git)
    }

    /// The commit that the work tree stands on, in hexadecimal.
    #[must_use]
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Asks the real git folder where things are: the one command that reads its configuration. It
    /// starts no program that could be named there.
    fn locate(&mut self, deadline: &Deadline) -> Result<PathBuf, GitError> {
        let command = [
            "rev-parse",
            "--path-format=absolute",
            "--git-path",
            "objects",
            "--git-path",
            "index",
            "--git-path",
            "shallow",
            "--verify",
            "--quiet",
            "HEAD^{commit}",
        ];
        let told = self.told(&command, self.environment(), deadline)?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        match lines[..] {
            [objects, index, shallow, head] if told.is_success() => {
                (self.objects, self.index) = (objects.into(), index.into());
                self.head = head.to_owned();
                Ok(shallow.into())
            }
            [_, _, _] => Err(GitError::NoCommit),
            _ => Err(failed(&command, &told.stderr)),
        }
    }

    /// Makes the folder that stands in for the git folder.
    fn stand_in(&self, shallow: &Path) -> io::Result<()> {
        let sha256 = self.head.len() > 40;
        let config = match sha256 {
            true => {
                "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
            }
            false => "[core]\n\trepositoryFormatVersion = 0\n",
        };
        fs::create_dir_all(self.folder.join("refs"))?;
        write_new(&self.folder.join("config"), config.as_bytes())?;
        write_new(&self.folder.join("HEAD"), format!("{}\n", self.head).as_bytes())?;
        match fs::read(shallow) {
            Ok(commits) => write_new(&self.folder.join("shallow"), &commits),
            Err(_) => match fs::remove_file(self.folder.join("shallow")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Asks git about the objects and the work tree, without the repository's configuration.
    fn ask(&self, args: &[&str], deadline: &Deadline) -> Result<Told, GitError> {
        let mut environment = self.environment();
        environment.extend([
            ("GIT_DIR".into(), self.folder.clone().into()),
            ("GIT_WORK_TREE".into(), self.top.clone().into()),
            ("GIT_OBJECT_DIRECTORY".into(), self.objects.clone()),
            ("GIT_INDEX_FILE".into(), self.index.clone()),
        ]);
        let told = self.told(args, environment, deadline)?;
        let is_cut = told.end == BriefEnd::OutputLimit;
        if told.is_success() || is_cut { Ok(told) } else { Err(failed(args, &told.stderr)) }
    }

    fn told(
        &self,
        args: &[&str],
        env: Vec<(OsString, OsString)>,
        deadline: &Deadline,
    ) -> Result<Told, GitError> {
        let left = deadline.remaining().min(TIME_MAX);
        if left < TIME_MIN {
            return Err(GitError::Late);
        }
        let told = brief(&Brief {
            program: self.program.clone(),
            args: ["--no-pager", "--no-optional-locks"]
                .iter()
                .chain(args)
                .map(Into::into)
                .collect(),
            env,
            current_dir: self.root.clone(),
            deadline: Instant::now() + left,
            stdout_max: OUTPUT_MAX,
        })
        .map_err(GitError::Start)?;
        if told.end == BriefEnd::Deadline { Err(GitError::Late) } else { Ok(told) }
    }

    /// The whole environment of a git: nothing of the user's or the system's configuration, no
    /// question to a terminal, no network.
    fn environment(&self) -> Vec<(OsString, OsString)> {
        let fixed = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            // An empty list: no protocol is allowed.
            ("GIT_ALLOW_PROTOCOL", ""),
            ("LC_ALL", "C"),
        ];
        let mut environment: Vec<(OsString, OsString)> =
            fixed.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        environment.push(("GIT_CONFIG_GLOBAL".into(), self.folder.join("global").into()));
        environment
    }
}

fn failed(args: &[&str], stderr: &str) -> GitError {
    let said = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    GitError::Failed { command: args[0].to_owned(), said: said.trim().to_owned() }
}

/// Writes a file so that who reads it meanwhile sees the old or the new content; leaves it alone
/// when it has this content.
fn write_new(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}", std::process::id()));
    let half = folder.join(name);
    fs::write(&half, content)?;
    fs::rename(half, path)
}

#[cfg(test)]
mod tests;
