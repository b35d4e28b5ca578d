//! Shows a turn's stage and elapsed time in one line of the terminal. Codex's messages before the answer are printed on
//! standard error in any case.

use host::StatusLine;
use host::streams::note;
use tokio::time::Instant;

pub(super) struct Progress {
    started: Instant,
    stage: String,
    line: StatusLine,
}

impl Progress {
    /// A line whose time starts now.
    pub(super) fn new(stage: &str) -> Self {
        let line = StatusLine::on_stderr();
        let mut progress = Self { started: Instant::now(), stage: stage.to_owned(), line };
        progress.draw();
        progress
    }

    /// Sets the stage.
    pub(super) fn stage(&mut self, stage: String) {
        self.stage = stage;
        self.draw();
    }

    /// Prints a text above the line, even without a terminal.
    pub(super) fn say(&mut self, text: &str) {
        self.line.clear();
        note(text);
        self.draw();
    }

    /// Draws the line with the elapsed time.
    pub(super) fn draw(&mut self) {
        let what = format!("{} (Ctrl-C cancels)", self.stage);
        self.line.show(self.started.elapsed(), &what);
    }
}
