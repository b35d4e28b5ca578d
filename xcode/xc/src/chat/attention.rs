//! Whether an answer or a question waits while the user is away. Not here: how the user is notified.

use std::time::{Duration, Instant};

use super::event::Event;
use crate::terminal::Input;

/// How long something waits before the user is notified (XC-126).
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What waits for the user, and since when.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attention {
    /// Since when; none where nothing waits, the user has typed since, or was notified.
    since: Option<Instant>,
    /// The number of open questions.
    questions: usize,
}

impl Attention {
    /// When the user is notified, unless something is typed before.
    pub(crate) fn due(self) -> Option<Instant> {
        self.since.map(|since| since + PATIENCE)
    }

    /// Records that the user is present: a user who types has seen what waits.
    pub(super) fn hear(&mut self, event: &Event) {
        if matches!(event, Event::Input(Input::Key(_) | Input::Paste(_) | Input::Line(_))) {
            self.since = None;
        }
    }

    /// Updates what waits: `questions` that are open, and a turn that has `just` ended. `is_idle`: the model
    /// does not work. Returns whether the user is to be notified now.
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
