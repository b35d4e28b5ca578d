//! Interrupts, and the end of the program with the summary before it. Not here: the keys for it.

use std::time::Instant;

use super::event::Effect;
use super::state::{Since, State, Work};
use crate::exit::Exit;

/// Interrupts the current operation; the agent reports when it has ended.
pub(super) fn interrupt(state: &mut State) -> Vec<Effect> {
    let (Work::Turn(since) | Work::Compacting(since) | Work::Command(since) | Work::Summary(since)) =
        &mut state.work
    else {
        return Vec::new();
    };
    since.is_interrupted = true;
    state.dialogs.retain(|dialog| !dialog.is_of_turn());
    state.retry = None;
    vec![Effect::Interrupt]
}

/// Saves the session and ends the program.
pub(super) fn leave(state: &mut State, exit: Exit, now: Instant) -> Vec<Effect> {
    let is_working = state.is_working();
    let mut effects = interrupt(state);
    state.dialogs.clear();
    state.work = Work::Leaving(Since { at: now, is_interrupted: is_working }, exit);
    if !is_working {
        effects.extend(last_words(state, exit));
    }
    effects
}

/// Writes the summary if there is something new, then ends the program.
pub(super) fn last_words(state: &mut State, exit: Exit) -> Vec<Effect> {
    if std::mem::take(&mut state.is_summary_due) {
        vec![Effect::Summarise]
    } else {
        vec![Effect::Quit(exit)]
    }
}
