//! Differences between the work tree and HEAD: files and their changed lines.

use super::{Git, GitError};
use crate::deadline::Deadline;

/// One changed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path relative to the root. A renamed file counts as removed and added.
    pub path: String,
    /// How it changed.
    pub change: Change,
}

/// How a file changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Added, tracked by git or not.
    Added,
    /// Removed.
    Removed,
    /// Modified lines; empty for a binary file or a change of mode.
    Modified {
        /// Lines of the current file.
        lines: Vec<LineRange>,
    },
}

/// Lines from 1, both ends inclusive. If lines were only removed, the two around the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub start: u32,
    /// The last line.
    pub end: u32,
}

/// Maximum number of lines of a range that are enumerated: a larger change affects everything.
const LINES_MAX: u32 = 20_000;

impl LineRange {
    /// Its lines; of a very long range only the first.
    pub fn lines(self) -> impl Iterator<Item = u32> {
        self.start..=self.end.min(self.start.saturating_add(LINES_MAX))
    }
}

impl Git {
    /// The differences below the root, staged or not, including untracked files that are not
    /// ignored; by path.
    ///
    /// # Errors
    /// [`GitError::Late`] and [`GitError::Failed`].
    pub fn changes(&self, deadline: &Deadline) -> Result<Vec<Changed>, GitError> {
        let diff = self.ask(
            &[
                "diff",
                "--raw",
                "--patch",
                "-z",
                "--unified=0",
                "--inter-hunk-context=0",
                "--no-renames",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "--submodule=short",
                "--ignore-submodules=all",
                "--relative",
                &self.head,
            ],
            deadline,
        )?;
        let mut changed = parse(&String::from_utf8_lossy(&diff.stdout));
        let others = self.ask(&["ls-files", "--others", "--exclude-standard", "-z"], deadline)?;
        let others = String::from_utf8_lossy(&others.stdout).into_owned();
        let new = others.split('\0').filter(|path| !path.is_empty());
        changed.extend(new.map(|path| Changed { path: path.to_owned(), change: Change::Added }));
        changed.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changed)
    }
}

/// Parses `git diff --raw --patch -z`: first the files, then, in the same order, their patches.
fn parse(text: &str) -> Vec<Changed> {
    let mut changed = Vec::new();
    let mut fields = text.split('\0');
    while let Some(status) = fields.next().and_then(|raw| raw.strip_prefix(':')) {
        let Some(path) = fields.next() else { break };
        let change = match status.rsplit(' ').next().and_then(|letter| letter.chars().next()) {
            Some('A') => Change::Added,
            Some('D') => Change::Removed,
            _ => Change::Modified { lines: Vec::new() },
        };
        changed.push(Changed { path: path.to_owned(), change });
    }
    // The empty field that ended the loop separates the two halves. A patch may contain NUL.
    let patch = text.find("\0\0").map_or("", |at| &text[at + 2..]);
    for (file, patch) in changed.iter_mut().zip(patches(patch)) {
        if let Change::Modified { lines } = &mut file.change {
            *lines = patch;
        }
    }
    changed
}

/// The changed lines of each file in a patch without context.
fn patches(text: &str) -> Vec<Vec<LineRange>> {
    let mut patches: Vec<Vec<LineRange>> = Vec::new();
    let mut lines = text.split('\n');
    while let Some(line) = lines.next() {
        if line.starts_with("diff --git ") {
            patches.push(Vec::new());
        } else if let (Some(hunk), Some(patch)) = (hunk(line), patches.last_mut()) {
            patch.push(hunk.range);
            // These lines are content, whatever they look like.
            for _ in 0..hunk.body {
                lines.next();
            }
        }
    }
    patches
}

struct Hunk {
    range: LineRange,
    /// Number of following lines.
    body: usize,
}

/// Parses `@@ -1,2 +3,4 @@`.
fn hunk(line: &str) -> Option<Hunk> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let numbers = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((_, removed), (start, added)) = (numbers(old)?, numbers(new)?);
    let range = match added {
        0 => LineRange { start: start.max(1), end: start + 1 },
        _ => LineRange { start, end: start + added - 1 },
    };
    Some(Hunk { range, body: (removed + added) as usize })
}
