//! The status line of the terminal: the current stage and its duration.

use contract::event::Event;
use host::StatusLine;
use tokio::time::Instant;

pub(crate) struct Progress {
    started: Instant,
    /// The last relevant event, and when it arrived.
    last: Option<(Instant, Event)>,
    line: StatusLine,
}

impl Progress {
    /// A status line that starts counting now.
    pub(crate) fn new() -> Self {
        let line = StatusLine::on_stderr();
        let mut progress = Self { started: Instant::now(), last: None, line };
        progress.draw();
        progress
    }

    /// Takes a new event.
    pub(crate) fn event(&mut self, event: Event) {
        self.last = Some((Instant::now(), event));
        self.draw();
    }

    /// Updates the displayed time.
    pub(crate) fn draw(&mut self) {
        let last = self.last.as_ref();
        let stage = last.and_then(|(came, event)| event.stage_after(came.elapsed()));
        self.line.show(self.started.elapsed(), stage.as_deref().unwrap_or("asking"));
    }
}
