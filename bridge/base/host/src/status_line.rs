//! A status line on a terminal that is overwritten during an operation and removed at its end. If standard error is not
//! a terminal, nothing is shown.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use redact::visible_line;

/// Moves to the line's start and erases it (ECMA-48).
const CLEAR: &str = "\r\x1b[K";

/// The status line; erased when dropped.
#[derive(Debug)]
pub struct StatusLine {
    terminal: Option<io::Stderr>,
}

impl StatusLine {
    /// A line that is not shown yet.
    #[must_use]
    pub fn on_stderr() -> Self {
        let stderr = io::stderr();
        Self { terminal: stderr.is_terminal().then_some(stderr) }
    }

    /// Shows the elapsed time and a text.
    pub fn show(&mut self, elapsed: Duration, what: &str) {
        let (minutes, seconds) = (elapsed.as_secs() / 60, elapsed.as_secs() % 60);
        let what = visible_line(what);
        self.write(&format!("{CLEAR}{minutes}:{seconds:02}  {what}"));
    }

    /// Erases it.
    pub fn clear(&mut self) {
        self.write(CLEAR);
    }

    fn write(&mut self, text: &str) {
        if let Some(terminal) = &mut self.terminal {
            // Write errors are ignored.
            let _ = terminal.write_all(text.as_bytes());
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}
