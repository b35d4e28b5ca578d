//! Whether something waits for a user who is away: an answer, a question. Absent: how the user is called.

use std::time::{Duration, Instant};

use super::event::{Effect, Event};
use super::state::{State, Work};
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
}

/// Who types is there, and what the event is about is known then.
pub(super) fn heard(state: &mut State, event: &Event) {
    if matches!(event, Event::Input(Input::Key(_) | Input::Paste(_) | Input::Line(_))) {
        state.attention.since = None;
    }
}

/// Notes what waits since now, and calls the user where it has waited long enough. `is_over` says that a turn has just ended.
pub(super) fn follow(state: &mut State, is_over: bool, now: Instant) -> Option<Effect> {
    let questions = state.dialogs.len();
    let before = std::mem::replace(&mut state.attention.questions, questions);
    let is_answered = is_over && state.work == Work::Idle;
    if questions > before || is_answered {
        state.attention.since = Some(now);
    } else if questions == 0 && state.work != Work::Idle {
        state.attention.since = None;
    }
    let is_due = state.attention.due().is_some_and(|due| due <= now);
    is_due.then(|| {
        state.attention.since = None;
        Effect::Call
    })
}
