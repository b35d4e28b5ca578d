//! Observes a turn independently of the driver: turns events and log records into a turn, its
//! progress and the state of the stall clock.

use std::time::Duration;

use supervise::Clock;
use tokio::time::Instant;

use crate::attempt::Progress;
use crate::event::Event;
use crate::narration::Narration;
use crate::pulse::{Pulse, Sign, Stream};
use crate::turn::Turn;

/// The observed state of one turn.
#[derive(Debug)]
pub(crate) struct Listening {
    started: Instant,
    /// Time from the start to the first line on stdout.
    pub(crate) first_event: Option<Duration>,
    pub(crate) turn: Turn,
    narration: Narration,
    pulse: Pulse,
}

impl Listening {
    /// For a process that is about to be started.
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            started: Instant::now(),
            first_event: None,
            turn: Turn::default(),
            narration: Narration::default(),
            pulse: Pulse::new(stream),
        }
    }

    /// Time since the process was about to be started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Number of log records of Codex that could be parsed.
    pub(crate) fn log_records(&self) -> u64 {
        self.pulse.records()
    }

    /// Records a line on stdout.
    pub(crate) fn line(&mut self) {
        self.first_event.get_or_insert_with(|| self.started.elapsed());
    }

    /// Handles an event.
    pub(crate) fn event(&mut self, event: Event, progress: &mut impl FnMut(Progress)) -> Clock {
        if let Some(text) = self.narration.event(&event) {
            progress(Progress::Message { text });
        }
        if let Some(step) = step(&event) {
            progress(step);
        }
        let heard = self.pulse.event(&event);
        if let Some(sign) = heard.sign {
            progress(Progress::Sign(sign));
        }
        self.turn.apply(event);
        heard.clock
    }

    /// Handles a line of stderr that belongs to a log record; `None` for any other line.
    pub(crate) fn stderr_line(
        &mut self,
        line: &[u8],
        progress: &mut impl FnMut(Progress),
    ) -> Option<Clock> {
        let heard = self.pulse.stderr_line(line)?;
        // Records that are read after the turn's end were written before it.
        if let Some(sign) = heard.sign.filter(|_| self.turn.terminal().is_none()) {
            progress(Progress::Sign(sign));
        }
        Some(heard.clock)
    }

    /// Handles a sign of life from stdout; it is used only if the log shows none.
    pub(crate) fn sign(&self, sign: Sign, progress: &mut impl FnMut(Progress)) {
        if self.pulse.records() == 0 {
            progress(Progress::Sign(sign));
        }
    }
}

/// The progress to report for an event.
fn step(event: &Event) -> Option<Progress> {
    match event {
        Event::ThreadStarted { thread_id } => {
            Some(Progress::ThreadStarted { thread_id: *thread_id })
        }
        Event::TurnStarted => Some(Progress::TurnStarted),
        Event::AgentMessage { .. } => {
            Some(Progress::Item { kind: "agent_message".to_owned(), subject: None })
        }
        Event::Item { kind, subject, .. } => {
            Some(Progress::Item { kind: kind.clone(), subject: subject.clone() })
        }
        Event::Error { message } => Some(Progress::Reconnecting { message: message.clone() }),
        Event::TurnCompleted { .. } => Some(Progress::TurnCompleted),
        Event::Warning { .. }
        | Event::TurnFailed { .. }
        | Event::Unknown { .. }
        | Event::Malformed
        | Event::Blank => None,
    }
}
