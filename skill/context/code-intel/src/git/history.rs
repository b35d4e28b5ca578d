//! The commits of the last days: read by one `git log`, and cached until HEAD moves.

use std::collections::HashMap;
use std::fs;

use host::{Access, Durability};
use supervise::HelperEnd;

use super::{Git, GitError};
use crate::deadline::Deadline;

/// First line of a cached history; another version is read again.
const MAGIC: &str = "code-intel history 1";

/// Maximum number of commits; older ones are left out, which is reported.
const COMMITS_MAX: usize = 20_000;

/// Separates commits in git's output. No path and no subject contains it.
const RECORD: char = '\u{1}';

/// A day, in seconds.
const DAY_SECONDS: u64 = 86_400;

/// The history of some days, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// The commits without merges, newest first.
    pub commits: Vec<Commit>,
    /// Whether older commits of the period were left out, because there were too many.
    pub is_cut: bool,
}

/// A commit with its changed files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// When it was committed, in seconds since 1970.
    pub time: u64,
    /// The first line of its message.
    pub subject: String,
    /// Its changes to files below the root, under their current names.
    pub files: Vec<FileChurn>,
}

/// The changes of one commit to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChurn {
    /// The file's current path relative to the root.
    pub path: String,
    /// Number of added lines; 0 for a binary file.
    pub added: u64,
    /// Number of removed lines; 0 for a binary file.
    pub removed: u64,
}

impl Git {
    /// The commits of the last `days` days before `now` (seconds since 1970) that changed something
    /// below the root. Read from the cache if that is for this HEAD and period.
    ///
    /// # Errors
    /// [`GitError::Late`] and [`GitError::Failed`]; a cache that cannot be written is not an error.
    pub fn history(&self, days: u32, now: u64, deadline: &Deadline) -> Result<History, GitError> {
        let since = now.saturating_sub(u64::from(days) * DAY_SECONDS);
        let text = match self.cached(since) {
            Some(text) => text,
            None => self.read_log(since, deadline)?,
        };
        Ok(parse(&text, since))
    }

    fn cached(&self, since: u64) -> Option<String> {
        let text = fs::read_to_string(self.folder.join("history")).ok()?;
        let (head, log) = text.split_once('\n')?;
        let (known, from) = head.rsplit_once(' ')?;
        let fits = known == self.title() && from.parse::<u64>().ok()? <= since;
        fits.then(|| log.to_owned())
    }

    fn read_log(&self, since: u64, deadline: &Deadline) -> Result<String, GitError> {
        let (max, after) = (format!("--max-count={COMMITS_MAX}"), format!("--since=@{since}"));
        let format = format!("--format=format:{RECORD}%ct %s");
        let told = self.ask(
            &[
                "log",
                &max,
                &after,
                &format,
                "--no-merges",
                "--numstat",
                "-z",
                "-M",
                "--no-ext-diff",
                "--no-textconv",
                "--no-show-signature",
                "--relative",
                &self.head,
                "--",
                ".",
            ],
            deadline,
        )?;
        let mut text = String::from_utf8_lossy(&told.stdout).into_owned();
        if told.end == HelperEnd::OutputLimit {
            // The last commit may be incomplete.
            text.truncate(text.rfind(RECORD).unwrap_or(0));
        }
        let cached = format!("{} {since}\n{text}", self.title());
        // Without a cache the next call reads the log again.
        let file = self.folder.join("history");
        let _ = host::replace(&file, cached.as_bytes(), Access::Umask, Durability::Cached);
        Ok(text)
    }

    /// Identity of the cached history.
    fn title(&self) -> String {
        format!("{MAGIC} {} {}", self.head, self.root.display())
    }
}

/// Parses `git log --numstat -z`. Malformed records are skipped.
fn parse(text: &str, since: u64) -> History {
    let mut commits = Vec::new();
    // Maps a file's name in the current commit to its name today.
    let mut renamed: HashMap<String, String> = HashMap::new();
    let records = text.split(RECORD).skip(1);
    for record in records {
        let mut fields = record.split('\0');
        let head = fields.next().unwrap_or_default();
        // With --numstat, the subject ends with the first line; the counts follow it.
        let (head, first) = head.split_once('\n').unwrap_or((head, ""));
        let Some((time, subject)) = head.split_once(' ') else { continue };
        let Ok(time) = time.parse::<u64>() else { continue };
        let counts = std::iter::once(first).chain(fields);
        let (files, renames) = files(counts, &renamed);
        renamed.extend(renames);
        if time >= since {
            commits.push(Commit { time, subject: subject.to_owned(), files });
        }
    }
    let is_cut = commits.len() >= COMMITS_MAX;
    History { commits, is_cut }
}

/// One commit's files under their current names, and the renames for older commits.
fn files<'t>(
    mut fields: impl Iterator<Item = &'t str>,
    renamed: &HashMap<String, String>,
) -> (Vec<FileChurn>, Vec<(String, String)>) {
    let (mut files, mut renames) = (Vec::new(), Vec::new());
    while let Some(field) = fields.next() {
        let mut parts = field.trim_start_matches('\n').splitn(3, '\t');
        let (Some(added), Some(removed), Some(path)) = (parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        let today = |path: &str| renamed.get(path).cloned().unwrap_or_else(|| path.to_owned());
        // A rename has an empty path here, followed by the old and the new one.
        let path = if path.is_empty() {
            let (Some(old), Some(new)) = (fields.next(), fields.next()) else { break };
            renames.push((old.to_owned(), today(new)));
            today(new)
        } else {
            today(path)
        };
        let lines = |count: &str| count.parse().unwrap_or(0);
        files.push(FileChurn { path, added: lines(added), removed: lines(removed) });
    }
    (files, renames)
}
