//! The changes in the work tree since the session began, from git, bounded. A session's base
//! is the commit at its start: `HEAD~5`, as in the first design, does not exist in a young
//! repository and is arbitrary in others.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use crate::fence;
use crate::git::{Git, Silent};
use crate::records::Base;

/// Maximum length of the diffstat, in characters.
const STAT_MAX: usize = 2_000;
/// Maximum number of new files named.
const NEW_MAX: usize = 20;
/// Width of its lines, in columns.
const WIDTH: &str = "--stat=100,70";
/// Maximum number of files in the diffstat.
const COUNT: &str = "--stat-count=30";

/// The changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// `git diff --stat` from the base to the work tree, and untracked files.
    pub stat: String,
    /// The current commit.
    pub head: Option<String>,
    /// What is missing, with the reasons.
    pub limits: Vec<String>,
    /// Why git failed, if it did.
    pub silent: Option<String>,
}

/// The commit at a session's start.
#[must_use]
pub fn base(folder: &Path, path: &OsStr, until: Instant) -> Base {
    match Git::open(folder, path, until) {
        Ok(git) => git.head().map_or(Base::Empty, |head| Base::Commit(head.to_owned())),
        Err(silent) => Base::Unknown(silent.to_string()),
    }
}

/// The changes since `base`. Total: what git does not report is named in the limits.
#[must_use]
pub fn changes(folder: &Path, path: &OsStr, base: Option<&Base>, until: Instant) -> Changes {
    let mut changes = Changes::default();
    if let Err(silent) = look(folder, path, base, until, &mut changes) {
        changes.limits.push(format!("no diff: {silent}"));
        changes.silent = Some(silent.to_string());
    }
    changes
}

fn look(
    folder: &Path,
    path: &OsStr,
    base: Option<&Base>,
    until: Instant,
    changes: &mut Changes,
) -> Result<(), Silent> {
    let git = Git::open(folder, path, until)?;
    changes.head = git.head().map(str::to_owned);
    let from = from(&git, base, &mut changes.limits)?;
    let diff = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", WIDTH, COUNT, &from, "--"];
    changes.stat = fence::sanitize(&git.ask(&diff)?, STAT_MAX);
    let unknown = git.ask(&["ls-files", "--others", "--exclude-standard"])?;
    let files: Vec<&str> = unknown.lines().filter(|file| !is_ours(file)).collect();
    for file in files.iter().take(NEW_MAX) {
        changes.stat.push_str(&format!(" {} | new\n", fence::sanitize_line(file, 100)));
    }
    if files.len() > NEW_MAX {
        changes.stat.push_str(&format!(" and {} more new files\n", files.len() - NEW_MAX));
    }
    Ok(())
}

/// The commit to compare with: the base, or a fallback, which is added to the limits.
fn from(git: &Git, base: Option<&Base>, limits: &mut Vec<String>) -> Result<String, Silent> {
    match base {
        Some(Base::Commit(commit)) if git.has_commit(commit)? => return Ok(commit.clone()),
        Some(Base::Empty) => return git.empty_tree(),
        Some(Base::Commit(_)) => {
            limits.push("the session's first commit is gone: compared with HEAD".to_owned());
        }
        Some(Base::Unknown(_)) | None => {
            limits.push("the session's first commit is not known: compared with HEAD".to_owned());
        }
    }
    match git.head() {
        Some(head) => Ok(head.to_owned()),
        None => git.empty_tree(),
    }
}

/// Whether the file is the court's own, which is not work of the session.
fn is_ours(file: &str) -> bool {
    file.starts_with(".claude/historian/") || file.starts_with(".court/")
}

/// The commits since `offset`, one line each; all recent ones if it is unknown.
#[must_use]
pub fn log(folder: &Path, path: &OsStr, offset: Option<&str>, until: Instant) -> Log {
    let ask = || -> Result<Log, Silent> {
        let git = Git::open(folder, path, until)?;
        let Some(head) = git.head().map(str::to_owned) else {
            return Ok(Log { text: "no commit yet".to_owned(), head: None });
        };
        let known = match offset {
            Some(offset) => git.has_commit(offset)?.then_some(offset),
            None => None,
        };
        let range = known.map_or_else(|| head.clone(), |offset| format!("{offset}..{head}"));
        let text = git.ask(&["log", "--oneline", "--no-color", "--max-count=20", &range, "--"])?;
        let text = match text.trim() {
            "" => "no commit since the last review".to_owned(),
            text => fence::sanitize(text, STAT_MAX),
        };
        Ok(Log { text, head: Some(head) })
    };
    ask().unwrap_or_else(|silent| Log { text: format!("no log: {silent}"), head: None })
}

/// Commits since an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// One line each, or the reason why there is none.
    pub text: String,
    /// The current commit: the next offset.
    pub head: Option<String>,
}

#[cfg(test)]
mod tests;
