//! Runs git safely in a repository that may be hostile.
//!
//! A repository's configuration can name programs: `core.fsmonitor`, `diff.external`, filters, text
//! converters, hooks, pagers, `core.sshCommand`, and a `core.worktree` that is elsewhere. So git is never
//! run with that configuration here. One command finds out where the objects and the index are, which
//! starts no program; afterwards git runs with a folder of ours as its git folder, which has no
//! configuration, no attributes and no hooks, but refers to those objects and that index. Nothing is
//! fetched, and nothing is written into the repository.
//!
//! Not here: the meaning of the answers, a cache, a judgement. The users' tests run it on hostile
//! repositories.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use host::{Access, Beneath, Durability, find_program};
use supervise::{HelperCommand, HelperEnd, HelperError, HelperOutput, run_helper};

/// The shortest remaining time in which git is started.
const TIME_MIN: Duration = Duration::from_millis(20);
/// How much output of the locating command is read, in bytes: three paths and a commit.
const PLACES_MAX: usize = 64 << 10;

/// The longest list of commits at which history was cut off, in bytes; each takes 41 bytes.
const SHALLOW_MAX: u64 = 4 << 20;
/// The configuration that git runs with: this file, and no other. Without it, `git diff` would rewrite the index
/// if only a time has changed, also with `--no-optional-locks` (git 2.47).
const CONFIG: &str = "[safe]\n\tdirectory = *\n[core]\n\tquotePath = false\n\
                      [diff]\n\tautoRefreshIndex = false\n";

/// Why git gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum Silent {
    /// There is no git on the path.
    #[error("git is not installed")]
    NotInstalled,
    /// The folder does not belong to a repository.
    #[error("not a git repository")]
    NotARepository,
    /// The repository belongs to another user: its configuration may name programs, and its history is not trustworthy.
    #[error("{} is a repository of user {owner}, and is not read", top.display())]
    Foreign {
        /// The repository.
        top: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// Git did not finish in time.
    #[error("git did not answer in time")]
    Late,
    /// Git failed: the repository is broken, shallow in a harmful way, or too new for
    /// this git.
    #[error("git {command} failed: {said}")]
    Failed {
        /// The command.
        command: String,
        /// The last line of its output.
        said: String,
    },
    /// It could not be started.
    #[error("git cannot be run: {0}")]
    Start(#[source] HelperError),
    /// The stand-in for the git folder cannot be written.
    #[error("no folder for git: {path} cannot be written: {source}", path = path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

/// A repository that can be queried.
#[derive(Debug)]
pub struct GitReader {
    program: PathBuf,
    top: PathBuf,
    stand_in: PathBuf,
    head: Option<String>,
    objects: OsString,
    index: OsString,
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct GitQuery<'q> {
    /// The command and its arguments.
    pub args: &'q [&'q str],
    /// The folder that relative paths start from.
    pub from: &'q Path,
    /// When git is stopped.
    pub until: Instant,
    /// How much output is read, in bytes; longer output is cut.
    pub output_max: usize,
}

impl GitReader {
    /// Finds the repository around `folder`, with the git on `path` (a value of `PATH`). `stand_in` is
    /// a folder of ours that replaces the git folder; several processes may share it.
    ///
    /// # Errors
    /// Every variant of [`Silent`].
    pub fn open(
        folder: &Path,
        stand_in: &Path,
        path: &OsStr,
        until: Instant,
    ) -> Result<Self, Silent> {
        // Searched here, because `core.worktree` may name any folder as the top. A repository of another owner
        // is refused, as by git itself.
        let top =
            host::own::repository_around(folder).ok_or_else(
                || match host::own::foreign_repository(folder) {
                    Some((top, owner)) => Silent::Foreign { top: top.to_owned(), owner },
                    None => Silent::NotARepository,
                },
            );
        let top = top?.to_owned();
        let program = find_program("git", path).ok_or(Silent::NotInstalled)?;
        let unwritable = |source| Silent::Folder { path: stand_in.to_owned(), source };
        keep(&stand_in.join("global"), CONFIG.as_bytes()).map_err(unwritable)?;
        let mut git = Self {
            program,
            top,
            stand_in: stand_in.to_owned(),
            head: None,
            objects: OsString::new(),
            index: OsString::new(),
        };
        let shallow = git.locate(folder, until)?;
        git.furnish(&shallow).map_err(unwritable)?;
        Ok(git)
    }

    /// The commit of HEAD, in hexadecimal; none before the first.
    #[must_use]
    pub fn head(&self) -> Option<&str> {
        self.head.as_deref()
    }

    /// The top of the work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Runs a git command on the objects and the work tree, without the repository's configuration. Output
    /// that was too long ends with [`HelperEnd::OutputLimit`].
    ///
    /// # Errors
    /// [`Silent::Late`], [`Silent::Failed`] if git refuses the command, and [`Silent::Start`].
    pub fn ask(&self, question: &GitQuery<'_>) -> Result<HelperOutput, Silent> {
        let places = [
            ("GIT_DIR".into(), self.stand_in.clone().into()),
            ("GIT_WORK_TREE".into(), self.top.clone().into()),
            ("GIT_OBJECT_DIRECTORY".into(), self.objects.clone()),
            ("GIT_INDEX_FILE".into(), self.index.clone()),
        ];
        let told = self.told(question, places)?;
        let is_cut = told.end == HelperEnd::OutputLimit;
        if told.is_success() || is_cut { Ok(told) } else { Err(failed(question, &told.stderr)) }
    }

    /// Asks the real git folder for its locations: the only command that reads its configuration. It
    /// starts no program that could be named there.
    fn locate(&mut self, from: &Path, until: Instant) -> Result<PathBuf, Silent> {
        let args = [
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
        let question = GitQuery { args: &args, from, until, output_max: PLACES_MAX };
        let told = self.told(&question, [])?;
        let text = String::from_utf8_lossy(&told.stdout).into_owned();
        let lines: Vec<&str> = text.lines().collect();
        let (objects, index, shallow, head) = match lines[..] {
            [objects, index, shallow, head] if told.is_success() => {
                (objects, index, shallow, Some(head))
            }
            [objects, index, shallow] => (objects, index, shallow, None),
            _ => return Err(failed(&question, &told.stderr)),
        };
        (self.objects, self.index) = (objects.into(), index.into());
        self.head = head.map(str::to_owned);
        Ok(shallow.into())
    }

    /// Writes into our folder what git requires of a git folder.
    fn furnish(&self, shallow: &Path) -> io::Result<()> {
        let is_sha256 = self.head.as_ref().is_some_and(|head| head.len() > 40);
        let config = match is_sha256 {
            true => {
                "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n"
            }
            false => "[core]\n\trepositoryFormatVersion = 0\n",
        };
        let file = |name: &str| self.stand_in.join(name);
        fs::create_dir_all(file("refs"))?;
        keep(&file("config"), config.as_bytes())?;
        let head = self.head.as_deref().unwrap_or("ref: refs/heads/main");
        keep(&file("HEAD"), format!("{head}\n").as_bytes())?;
        // Git must know where history was cut off.
        match cut_off(shallow) {
            Ok(commits) => keep(&file("shallow"), &commits),
            Err(_) => match fs::remove_file(file("shallow")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    fn told(
        &self,
        question: &GitQuery<'_>,
        places: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<HelperOutput, Silent> {
        if question.until.saturating_duration_since(Instant::now()) < TIME_MIN {
            return Err(Silent::Late);
        }
        let words = ["--no-pager", "--no-optional-locks"];
        let told = run_helper(&HelperCommand {
            program: self.program.clone(),
            args: words.iter().chain(question.args).map(Into::into).collect(),
            env: self.environment().chain(places).collect(),
            current_dir: question.from.to_owned(),
            deadline: question.until,
            stdout_max: question.output_max,
        })
        .map_err(Silent::Start)?;
        if told.end == HelperEnd::Deadline { Err(Silent::Late) } else { Ok(told) }
    }

    /// The complete environment of git: none of the user's or the system's configuration, no
    /// terminal prompt, no network.
    fn environment(&self) -> impl Iterator<Item = (OsString, OsString)> + use<> {
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
        let own = ("GIT_CONFIG_GLOBAL".into(), self.stand_in.join("global").into());
        fixed.into_iter().map(|(name, value)| (name.into(), value.into())).chain([own])
    }
}

fn failed(question: &GitQuery<'_>, stderr: &str) -> Silent {
    let said = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Silent::Failed { command: question.args[0].to_owned(), said: said.trim().to_owned() }
}

/// The list of the commits at which history was cut off, read only if it is a plain file: it could be a link to an endless
/// file, or a pipe.
fn cut_off(shallow: &Path) -> io::Result<Vec<u8>> {
    let (Some(folder), Some(name)) = (shallow.parent(), shallow.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut commits = Vec::new();
    Beneath::of(folder).open(name)?.take(SHALLOW_MAX).read_to_end(&mut commits)?;
    Ok(commits)
}

/// Writes a file of the stand-in atomically, and leaves it alone if it has this content: several
/// processes share it.
fn keep(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|old| old == content) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new("/")))?;
    host::replace(path, content, Access::Umask, Durability::Cached)
}
