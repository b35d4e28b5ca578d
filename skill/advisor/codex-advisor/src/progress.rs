//! What happens, and for how long, in one line of the terminal.

use contract::event::Event;
use host::StatusLine;
use tokio::time::Instant;

pub(crate) struct Progress {
    started: Instant,
    /// The last event that said something, and when it came.
    last: Option<(Instant, Event)>,
    line: StatusLine,
}

impl Progress {
    /// A line that counts from now.
    pub(crate) fn new() -> Self {
        let line = StatusLine::on_stderr();
        let mut progress = Self { started: Instant::now(), last: None, line };
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
        let last = self.last.as_ref();
        let stage = last.and_then(|(came, event)| event.stage_after(came.elapsed()));
        self.line.show(self.started.elapsed(), stage.as_deref().unwrap_or("asking"));
    }
}
