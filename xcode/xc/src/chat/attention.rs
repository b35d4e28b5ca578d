//! Whether something waits for a user who is away: an answer, a question. Absent: how the user is called.

use std::time::{Duration, Instant};

use super::event::Event;
use crate::terminal::Input;

/// How long something waits before the user is called (XC-126).
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What something waits for, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attention {
    /// Since when; none where nothing waits, the user has typed since, or was called.
    since: Option<Instant>,
    /// Questions that wait.
    questions: usize,
}

impl Attention {
    /// When the user is called, if nothing is typed until then.
    pub(crate) fn due(self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }

    /// Who types is there, and what the event is about is known then.
    pub(super) fn hear(&mut self, event: &Event) {
        if matches!(event, Event::Input(Input::Key(_) | Input::Paste(_) | Input::Line(_))) {
            self.since = None;
        }
    }

    /// Notes what waits since now: `questions` that are open, and a turn that has `just` ended. `is_idle` says that
    /// the model does not work. Says whether it is time to call the user.
    pub(super) fn follow(
        &mut self,
        questions: usize,
        is_idle: bool,
        just: bool,
        now: Instant,
    ) -> bool {
        let before = std::mem::replace(&mut self.questions, questions);
        if questions > before || (just && is_idle) {
            self.since = Some(now);
        } else if questions == 0 && !is_idle {
            self.since = None;
        }
        let is_due = self.due().is_some_and(|due| due <= now);
        if is_due {
            self.since = None;
        }
        is_due
    }
}
