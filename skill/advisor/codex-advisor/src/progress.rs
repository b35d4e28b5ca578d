//! One line on the terminal that says what happens and for how long. Elsewhere, nothing: whoever
//! reads standard error from a pipe wants no animation.

use std::io::{self, IsTerminal, Write};

use contract::event::Event;
use host::streams::visible_line;
use tokio::time::Instant;

/// Back to the line's start, and everything on it gone (ECMA-48).
const CLEAR: &str = "\r\x1b[K";

/// The line.
pub(crate) struct Progress {
    started: Instant,
    /// The last event that said something, and when it came.
    last: Option<(Instant, Event)>,
    terminal: Option<io::Stderr>,
}

impl Progress {
    /// A line that counts from now.
    pub(crate) fn new() -> Self {
        let stderr = io::stderr();
        let terminal = stderr.is_terminal().then_some(stderr);
        let mut progress = Self { started: Instant::now(), last: None, terminal };
        progress.draw();
        progress
    }

    /// What happens now.
    pub(crate) fn event(&mut self, event: Event) {
        self.last = Some((Instant::now(), event));
        self.draw();
    }

    /// Shows the time that has passed.
    pub(crate) fn draw(&mut self) {
        let seconds = self.started.elapsed().as_secs();
        if let Some(terminal) = &mut self.terminal {
            let last = self.last.as_ref();
            let stage = last.and_then(|(came, event)| event.stage_after(came.elapsed()));
            let stage = stage.unwrap_or_else(|| "asking".to_owned());
            let (minutes, seconds, stage) = (seconds / 60, seconds % 60, visible_line(&stage));
            let text = format!("{CLEAR}{minutes}:{seconds:02}  {stage}");
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
