//! One line on a terminal that is written over while something goes on, and gone at its end. Where standard error is no
//! terminal there is no such line: a pipe wants no animation.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use redact::visible_line;

/// Back to the line's start, and everything on it gone (ECMA-48).
const CLEAR: &str = "\r\x1b[K";

/// The line. It is gone when this is dropped.
#[derive(Debug)]
pub struct StatusLine {
    terminal: Option<io::Stderr>,
}

impl StatusLine {
    /// Nothing is shown yet.
    #[must_use]
    pub fn on_stderr() -> Self {
        let stderr = io::stderr();
        Self { terminal: stderr.is_terminal().then_some(stderr) }
    }

    /// Shows for how long something goes on, and what.
    pub fn show(&mut self, elapsed: Duration, what: &str) {
        let (minutes, seconds) = (elapsed.as_secs() / 60, elapsed.as_secs() % 60);
        let what = visible_line(what);
        self.write(&format!("{CLEAR}{minutes}:{seconds:02}  {what}"));
    }

    /// Takes it away.
    pub fn clear(&mut self) {
        self.write(CLEAR);
    }

    fn write(&mut self, text: &str) {
        if let Some(terminal) = &mut self.terminal {
            // Errors of writing there are ignored.
            let _ = terminal.write_all(text.as_bytes());
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.clear();
    }
}
