//! One line on the terminal that says what a turn does and for how long. Elsewhere there is no line, because a pipe
//! wants no animation; what Codex says on its way to the answer stands on standard error in any case.

use std::io::{self, IsTerminal as _, Write as _};

use host::streams::{note, visible_line};
use tokio::time::Instant;

/// Back to the line's start, and everything on it gone (ECMA-48).
const CLEAR: &str = "\r\x1b[K";

/// The line.
pub(super) struct Progress {
    started: Instant,
    stage: String,
    terminal: Option<io::Stderr>,
}

impl Progress {
    /// A line that counts from now.
    pub(super) fn new(stage: &str) -> Self {
        let stderr = io::stderr();
        let terminal = stderr.is_terminal().then_some(stderr);
        let mut progress = Self { started: Instant::now(), stage: stage.to_owned(), terminal };
        progress.draw();
        progress
    }

    /// What happens now.
    pub(super) fn stage(&mut self, stage: String) {
        self.stage = stage;
        self.draw();
    }

    /// Says a text above the line, also where there is no terminal.
    pub(super) fn say(&mut self, text: &str) {
        if let Some(terminal) = &mut self.terminal {
            let _ = terminal.write_all(CLEAR.as_bytes());
        }
        note(text);
        self.draw();
    }

    /// Shows the time that has passed.
    pub(super) fn draw(&mut self) {
        let seconds = self.started.elapsed().as_secs();
        if let Some(terminal) = &mut self.terminal {
            let (minutes, seconds) = (seconds / 60, seconds % 60);
            let stage = visible_line(&self.stage);
            let text = format!("{CLEAR}{minutes}:{seconds:02}  {stage} (Ctrl-C cancels)");
            let _ = terminal.write_all(text.as_bytes());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(terminal) = &mut self.terminal {
            let _ = terminal.write_all(CLEAR.as_bytes());
        }
    }
}
