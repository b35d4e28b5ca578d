//! What a turn does, and for how long, in one line of the terminal; what Codex says on its way to the answer stands on
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
    /// A line that counts from now.
    pub(super) fn new(stage: &str) -> Self {
        let line = StatusLine::on_stderr();
        let mut progress = Self { started: Instant::now(), stage: stage.to_owned(), line };
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
        self.line.clear();
        note(text);
        self.draw();
    }

    /// Shows the time that has passed.
    pub(super) fn draw(&mut self) {
        let what = format!("{} (Ctrl-C cancels)", self.stage);
        self.line.show(self.started.elapsed(), &what);
    }
}
