//! What a driver hears of a turn, whichever way Codex is driven: events and records become a turn, its
//! progress and the state of the stall clock.

use std::time::Duration;

use supervise::Clock;
use tokio::time::Instant;

use crate::attempt::Progress;
use crate::event::Event;
use crate::narration::Narration;
use crate::pulse::{Pulse, Sign, Stream};
use crate::turn::Turn;

/// One turn as it is heard.
#[derive(Debug)]
pub(crate) struct Listening {
    started: Instant,
    /// From the start to the first line on stdout.
    pub(crate) first_event: Option<Duration>,
    pub(crate) turn: Turn,
    narration: Narration,
    pulse: Pulse,
}

impl Listening {
    /// Of a process that is about to be started.
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            started: Instant::now(),
            first_event: None,
            turn: Turn::default(),
            narration: Narration::default(),
            pulse: Pulse::new(stream),
        }
    }

    /// Since the process was to be started.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// How many records of Codex's log could be read.
    pub(crate) fn log_records(&self) -> u64 {
        self.pulse.records()
    }

    /// Something came on stdout.
    pub(crate) fn line(&mut self) {
        self.first_event.get_or_insert_with(|| self.started.elapsed());
    }

    /// Takes an event into account.
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

    /// Takes a line of stderr that belongs to a record of the log; `None` for any other line.
    pub(crate) fn stderr_line(
        &mut self,
        line: &[u8],
        progress: &mut impl FnMut(Progress),
    ) -> Option<Clock> {
        let heard = self.pulse.stderr_line(line)?;
        // What is read behind the turn's end was written before it.
        if let Some(sign) = heard.sign.filter(|_| self.turn.terminal().is_none()) {
            progress(Progress::Sign(sign));
        }
        Some(heard.clock)
    }

    /// A sign of life that came on stdout; it counts where the log does not tell.
    pub(crate) fn sign(&self, sign: Sign, progress: &mut impl FnMut(Progress)) {
        if self.pulse.records() == 0 {
            progress(Progress::Sign(sign));
        }
    }
}

/// What of an event is worth showing.
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
