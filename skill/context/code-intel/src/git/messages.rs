//! Commit messages and the files of each commit: the whole history, or the part since a commit.

use std::str;
use std::time::Instant;

use git_reader::GitQuery;
use supervise::HelperEnd;

use super::{Git, GitError, OUTPUT_MAX};
use crate::deadline::Deadline;

/// Separates commits in git's output. A message that contains it only affects its own commit.
const RECORD: u8 = 1;
/// Separates the message of a commit from its files.
const FILES: u8 = 2;

/// Maximum size of a message, in bytes: the rest is usually a log, a list or a patch.
const MESSAGE_MAX: usize = 4 << 10;

/// Commits with their messages: first those that are not merges, then merges; each newest first.
#[derive(Debug)]
pub struct Messages {
    text: Vec<u8>,
    /// Whether older commits were left out because of a limit.
    pub is_cut: bool,
}

/// One commit. A merge represents its changes relative to its first parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'m> {
    /// Subject and body, truncated if they are very long.
    pub text: &'m str,
    /// The changed files relative to the root, under their names at that time.
    pub files: Vec<&'m str>,
}

impl Git {
    /// At most `max` commits up to HEAD, and at most as many merges of the main line; with `since`,
    /// only newer ones.
    ///
    /// # Errors
    /// [`GitError::Late`]; [`GitError::Failed`], also if `since` is unknown.
    pub fn messages(
        &self,
        since: Option<&str>,
        max: usize,
        deadline: &Deadline,
    ) -> Result<Messages, GitError> {
        // Queried separately: merges on side branches are not needed, and would take as long again.
        let mut messages = self.log(since, max, &["--no-merges"], deadline)?;
        let merges = self.log(since, max, &["--merges", "--first-parent", "-m"], deadline)?;
        messages.is_cut |= merges.is_cut;
        messages.text.extend_from_slice(&merges.text);
        Ok(messages)
    }

    fn log(
        &self,
        since: Option<&str>,
        max: usize,
        which: &[&str],
        deadline: &Deadline,
    ) -> Result<Messages, GitError> {
        let range = since.map_or(self.head.clone(), |since| format!("{since}..{}", self.head));
        // One more than wanted tells whether there are more.
        let count = format!("--max-count={}", max + 1);
        let mut args = vec!["log", &count];
        args.extend(which);
        args.extend([
            "--format=format:%x01%B%x02",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--no-textconv",
            "--no-show-signature",
            "--no-notes",
            "--encoding=UTF-8",
            "--ignore-submodules=all",
            "--relative",
            &range,
            "--",
        ]);
        // Without a path for the whole repository, because with a path git follows only one side of merges.
        if self.reader.top() != self.root {
            args.push(".");
        }
        // No caller waits for it: on a busy machine a long history takes longer than the timeout of a question.
        let (from, until) = (self.root.as_path(), Instant::now() + deadline.remaining());
        let question = GitQuery { args: &args, from, until, output_max: OUTPUT_MAX };
        let told = self.reader.ask(&question)?;
        let mut text = told.stdout;
        let mut is_cut = told.end == HelperEnd::OutputLimit;
        if is_cut {
            // The last commit may be incomplete.
            text.truncate(memchr::memrchr(RECORD, &text).unwrap_or(0));
        }
        if let Some(beyond) = memchr::memchr_iter(RECORD, &text).nth(max) {
            text.truncate(beyond);
            is_cut = true;
        }
        Ok(Messages { text, is_cut })
    }

    /// Whether HEAD is this commit or a descendant of it; false if the commit is unknown.
    ///
    /// # Errors
    /// [`GitError::Late`], [`GitError::Start`].
    pub fn is_on_top_of(&self, commit: &str, deadline: &Deadline) -> Result<bool, GitError> {
        let range = format!("{}..{commit}", self.head);
        match self.ask(&["rev-list", "--max-count=1", &range, "--"], deadline) {
            Ok(told) => Ok(told.stdout.is_empty()),
            Err(GitError::Failed { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The commits at which a shallow history ends, as listed by git; empty if it is complete.
    #[must_use]
    pub fn cut_off_at(&self) -> Vec<u8> {
        std::fs::read(self.folder.join("shallow")).unwrap_or_default()
    }
}

impl Messages {
    /// The commits. Malformed records are skipped.
    pub fn iter(&self) -> impl Iterator<Item = Message<'_>> {
        self.text.split(|byte| *byte == RECORD).skip(1).filter_map(message)
    }
}

fn message(record: &[u8]) -> Option<Message<'_>> {
    let end = memchr::memchr(FILES, record)?;
    let (text, files) = (&record[..end.min(MESSAGE_MAX)], &record[end + 1..]);
    let text = match str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    let files = files.split(|byte| *byte == 0).map(<[u8]>::trim_ascii_start);
    let files = files.filter_map(|file| str::from_utf8(file).ok().filter(|file| !file.is_empty()));
    Some(Message { text, files: files.collect() })
}
