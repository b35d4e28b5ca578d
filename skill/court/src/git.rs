//! What git knows that was changed in a session. Git never works with the repository's own
//! configuration here, because that can name programs to run (`core.fsmonitor`, filters, external
//! diffs): it is asked once where its objects and its index are, which starts nothing, and then runs
//! on an empty folder of ours in the place of its git folder.
//!
//! Absent: writing into the repository, the network, a judgement.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use supervise::{Brief, BriefEnd, BriefError, Told, brief, find_program};

/// How much of one answer is read, in bytes; what is longer is cut.
const OUTPUT_MAX: usize = 256 * 1024;
/// The least time for which it is worth to start git.
const TIME_MIN: Duration = Duration::from_millis(10);
/// The configuration that git runs with.
const CONFIG: &str = "[safe]\n\tdirectory = *\n[core]\n\tquotePath = false\n";

/// Why git has nothing to say.
#[derive(Debug, thiserror::Error)]
pub enum Silent {
    /// There is no git on the path.
    #[error("git is not installed")]
    NotInstalled,
    /// The folder belongs to no repository.
    #[error("not a git repository")]
    NotARepository,
    /// It did not answer in time.
    #[error("git did not answer in time")]
    Late,
    /// It answered with an error.
    #[error("git {command} failed: {said}")]
    Failed {
        /// What it was asked.
        command: String,
        /// The last line of what it said.
        said: String,
    },
    /// It could not be started.
    #[error("git cannot be run: {0}")]
    Start(#[from] BriefError),
    /// There is no place for the folder that stands in for the git folder.
    #[error("no temporary folder for git: {0}")]
    Folder(#[from] io::Error),
}

/// A repository, and a safe way to ask git about it.
#[derive(Debug)]
pub struct Git {
    program: PathBuf,
    /// The top of the work tree.
    top: PathBuf,
    /// Stands in for the git folder; gone when this is dropped.
    folder: tempfile::TempDir,
    /// The commit that the work tree stands on; none in a repository without a commit.
    head: Option<String>,
    objects: OsString,
    index: OsString,
    until: Instant,
}

impl Git {
    /// Finds the repository around `folder`, with the git on `path` (a value of `PATH`).
    ///
    /// # Errors
    /// Every variant of [`Silent`]; none of them is a reason to stop anything.
    pub fn open(folder: &Path, path: &OsStr, until: Instant) -> Result<Self, Silent> {
        // Looked for here: `core.worktree` may say that the top is anywhere.
        let top = folder.ancestors().find(|folder| folder.join(".git").exists());
        let top = top.ok_or(Silent::NotARepository)?.to_owned();
        let program = find_program("git", path).ok_or(Silent::NotInstalled)?;
        let stand_in = tempfile::Builder::new().prefix("court-git-").tempdir()?;
        fs::write(stand_in.path().join("global"), CONFIG)?;
        let mut git = Self {
            program,
            top,
            folder: stand_in,
            head: None,
            objects: OsString::new(),
            index: OsString::new(),
            until,
        };
        git.locate()?;
        Ok(git)
    }

    /// The commit that the work tree stands on; none before the first.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
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
        let mut environment = self.environment();
        environment.extend([
            ("GIT_DIR".into(), self.folder.path().into()),
            ("GIT_WORK_TREE".into(), self.top.clone().into()),
            ("GIT_OBJECT_DIRECTORY".into(), self.objects.clone()),
            ("GIT_INDEX_FILE".into(), self.index.clone()),
        ]);
        let told = self.told(args, environment)?;
        let is_cut = told.end == BriefEnd::OutputLimit;
        if !told.is_success() && !is_cut {
            return Err(failed(args, &told.stderr));
        }
        Ok(String::from_utf8_lossy(&told.stdout).into_owned())
    }

    /// Asks the real git folder where things are: the one command that reads its configuration. It
    /// starts no program that could be named there.
    fn locate(&mut self) -> Result<(), Silent> {
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
        let told = self.told(&command, self.environment())?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let (objects, index, shallow, head) = match lines[..] {
            [objects, index, shallow, head] => (objects, index, shallow, Some(head)),
            [objects, index, shallow] => (objects, index, shallow, None),
            _ => return Err(failed(&command, &told.stderr)),
        };
        (self.objects, self.index) = (objects.into(), index.into());
        self.head = head.map(str::to_owned);
        Ok(self.stand_in(Path::new(shallow))?)
    }

    fn stand_in(&self, shallow: &Path) -> io::Result<()> {
        let is_sha256 = self.head.as_ref().is_some_and(|head| head.len() > 40);
        let config = match is_sha256 {
            true => {
                "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
            }
            false => "[core]\n\trepositoryFormatVersion = 0\n",
        };
        let folder = self.folder.path();
        fs::create_dir_all(folder.join("refs"))?;
        fs::write(folder.join("config"), config)?;
        let head = self.head.as_deref().unwrap_or("ref: refs/heads/main");
        fs::write(folder.join("HEAD"), format!("{head}\n"))?;
        // Where history was cut off, git has to know.
        if let Ok(commits) = fs::read(shallow) {
            fs::write(folder.join("shallow"), commits)?;
        }
        Ok(())
    }

    fn told(&self, args: &[&str], env: Vec<(OsString, OsString)>) -> Result<Told, Silent> {
        if self.until.saturating_duration_since(Instant::now()) < TIME_MIN {
            return Err(Silent::Late);
        }
        let words = ["--no-pager", "--no-optional-locks"];
        let told = brief(&Brief {
            program: self.program.clone(),
            args: words.iter().chain(args).map(Into::into).collect(),
            env,
            current_dir: self.top.clone(),
            deadline: self.until,
            stdout_max: OUTPUT_MAX,
        })?;
        if told.end == BriefEnd::Deadline { Err(Silent::Late) } else { Ok(told) }
    }

    /// The whole environment of a git: no configuration of the user's or the system's, no question
    /// to a terminal, no network.
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
        environment.push(("GIT_CONFIG_GLOBAL".into(), self.folder.path().join("global").into()));
        environment
    }
}

fn failed(args: &[&str], stderr: &str) -> Silent {
    let said = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Silent::Failed { command: args[0].to_owned(), said: said.trim().to_owned() }
}
