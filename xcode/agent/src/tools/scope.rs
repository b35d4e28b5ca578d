//! Shared by the tools that search many files: where ignore files begin to apply, and a limited result.

use std::path::{Path, PathBuf};

use crate::tool::Outcome;
use crate::tools::blocking::{TIME, interrupted};
use crate::workspace::Workspace;
use crate::workspace::stop::Stop;
use crate::workspace::walk::LeftOut;

/// How many characters a result may have. The middle of a longer one would be removed before it reaches the model; the notes at
/// its end need the rest of the 30,000.
const CHARS_MAX: usize = 29_000;

/// The topmost folder whose ignore files apply below `start`: the top of its repository or of its
/// folder of the workspace, whichever is higher.
pub(super) fn ignores_from(workspace: &Workspace, start: &Path) -> PathBuf {
    let repository = host::project::root(start, None);
    let folders = workspace.folders().iter().map(PathBuf::as_path);
    let above = std::iter::once(repository.as_path()).chain(folders);
    let highest = above.filter(|folder| start.starts_with(folder));
    highest.min_by_key(|folder| folder.as_os_str().len()).unwrap_or(start).to_owned()
}

/// The lines of a result, up to its limits.
pub(super) struct Listing {
    lines: Vec<String>,
    lines_max: usize,
    chars: usize,
    /// How many did not fit.
    more: usize,
}

impl Listing {
    pub(super) fn new(lines_max: usize) -> Self {
        Self { lines: Vec::new(), lines_max, chars: 0, more: 0 }
    }

    /// Adds a line, or only counts it after one did not fit.
    pub(super) fn push(&mut self, line: String) {
        let chars = self.chars + line.chars().count() + 1;
        if self.is_full() || chars > CHARS_MAX {
            self.more += 1;
            return;
        }
        self.chars = chars;
        self.lines.push(line);
    }

    /// Whether a further line would only be counted.
    pub(super) fn is_full(&self) -> bool {
        self.more > 0 || self.lines.len() >= self.lines_max
    }

    /// How many lines it can take at most.
    pub(super) fn room(&self) -> usize {
        if self.more > 0 { 0 } else { self.lines_max - self.lines.len() }
    }

    /// Counts lines that were not created because they would not fit.
    pub(super) fn count_more(&mut self, lines: usize) {
        self.more += lines;
    }

    /// The result: the lines, or a message if there are none, then the notes.
    pub(super) fn outcome(
        mut self,
        nothing: &str,
        notes: Vec<String>,
        left_out: LeftOut,
        stop: &Stop,
    ) -> Outcome {
        if stop.is_cancelled() {
            return interrupted();
        }
        if self.lines.is_empty() && self.more == 0 {
            self.lines.push(nothing.to_owned());
        }
        if self.more > 0 {
            self.lines.push(format!("[{} more]", self.more));
        }
        self.lines.extend(notes);
        if left_out.unreadable > 0 {
            self.lines.push(format!("[{} folders could not be read]", left_out.unreadable));
        }
        if left_out.is_stopped {
            let seconds = TIME.as_secs();
            self.lines.push(format!("[stopped after {seconds} s; there may be more]"));
        }
        Outcome::ok(self.lines.join("\n"))
    }
}
