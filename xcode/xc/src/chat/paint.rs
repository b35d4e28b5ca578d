//! Paints the live region at the bottom from the state: the streaming answer, running calls, queued messages, the
//! dialog or the input, the status bar.

use std::time::Instant;

use contract::xc::PermitMode;
use ratatui_core::text::Line;

use super::state::{Queued, Since, State, When, Work};
use crate::terminal::{Live, Pointer, Size};
use crate::view::call::{self, Call};
use crate::view::status_bar::{self, Status};
use crate::view::{message, spinner};
use crate::words;

/// Rows of the streaming answer, at most.
const ANSWER_ROWS: u16 = 8;

/// Rows of the input, at most, where the terminal is high enough.
const INPUT_ROWS: u16 = 10;

/// Queued messages that are shown.
const QUEUE_ROWS: usize = 4;

/// The live region.
pub(crate) fn live(state: &mut State, size: Size, now: Instant) -> Live {
    let Size { columns, rows } = size;
    let mut lines: Vec<Line<'static>> = Vec::new();
    if state.has_answer {
        lines.extend(state.answer.tail(columns, ANSWER_ROWS.min(rows / 2).max(1)));
    }
    for running in &state.calls {
        let (tool, argument) = (running.tool.clone(), running.argument.clone());
        lines.push(call::live(&Call { tool, argument, state: running.state(now) }, columns));
        lines.extend(running.output.lines(columns));
    }
    lines.extend(working(state, now));
    lines.extend(waiting(state));
    let (mut cursor, mut asked) = (None, Vec::new());
    match state.dialogs.front() {
        Some(dialog) => {
            let (shown, at) = dialog.lines(columns);
            cursor = at.map(|(row, column)| (lines.len() + row, column));
            asked = dialog.asked();
            lines.extend(shown);
            if !state.editor.is_empty() {
                let (typed, at) = state.editor.lines(columns, 2, "");
                cursor = cursor.or(Some((lines.len() + at.0, at.1)));
                lines.extend(typed);
            }
        }
        None if !matches!(state.work, Work::Leaving(..)) => {
            let hint = state.words.say(&words::PLACEHOLDER);
            let most = INPUT_ROWS.min(rows / 2).max(1);
            let (typed, at) = state.editor.lines(columns, most, hint);
            cursor = Some((lines.len() + at.0, at.1));
            lines.extend(typed);
        }
        None => {}
    }
    if let Some(status) = status(state) {
        lines.push(status_bar::line(&status, columns));
    }
    // While the model works the user mostly watches; the terminal's own cursor is used from the first key on.
    let is_watched = state.dialogs.is_empty() && state.editor.is_empty() && state.is_moving();
    let pointer = if is_watched { Pointer::Drawn } else { Pointer::Own };
    Live { lines, cursor, pointer, asked }
}

/// The current operation, and the key that interrupts it.
fn working(state: &State, now: Instant) -> Option<Line<'static>> {
    let words = state.words;
    let (text, since) = match state.work {
        Work::Idle => return None,
        // Opening waits for an answer, so nothing is loading.
        Work::Opening if !state.dialogs.is_empty() => return None,
        Work::Opening => (words.say(&words::LOADING_CONTEXT), None),
        Work::Turn(since) => (words.say(&words::THINKING), Some(since)),
        Work::Compacting(since) => (words.say(&words::COMPACTING), Some(since)),
        // The call's own line shows it.
        Work::Command(Since { is_interrupted: false, .. }) => return None,
        Work::Command(since) => (words.say(&words::INTERRUPTING), Some(since)),
        Work::Summary(since) | Work::Leaving(since, _) => (words.say(&words::SAVING), Some(since)),
    };
    let Some(since) = since else { return message::note(text).pop() };
    // While a question is open, the model does not work.
    if state.dialogs.front().is_some_and(super::dialog::Dialog::is_of_turn) {
        return None;
    }
    let text = match state.work {
        Work::Turn(_) | Work::Compacting(_) if since.is_interrupted => {
            words.say(&words::INTERRUPTING)
        }
        _ => state.retry.as_deref().unwrap_or(text),
    };
    let hint = match state.work {
        Work::Leaving(..) => "",
        _ if since.is_interrupted => words.say(&words::PRESS_AGAIN),
        _ => words.say(&words::ESC_INTERRUPTS),
    };
    Some(spinner::line(text, now.saturating_duration_since(since.at), hint))
}

/// The messages that were sent while the model works.
fn waiting(state: &State) -> Vec<Line<'static>> {
    let row = |queued: &Queued| {
        let kind = state.words.say(match queued.when {
            When::Next => &words::QUEUED,
            When::Soon => &words::STEERING,
        });
        let first = queued.text.lines().next().unwrap_or_default();
        let text = redact::visible_line(first).into_owned();
        message::note(&format!("  [{kind}] {text}"))
    };
    let mut lines: Vec<Line<'static>> = state.queue.iter().take(QUEUE_ROWS).flat_map(row).collect();
    if state.queue.len() > QUEUE_ROWS {
        lines.extend(message::note(&format!("  +{}", state.queue.len() - QUEUE_ROWS)));
    }
    if !state.queue.is_empty() {
        lines.extend(message::note(&format!("  {}", state.words.say(&words::QUEUE_HINT))));
    }
    lines
}

fn status(state: &State) -> Option<Status> {
    let session = state.session.as_ref()?;
    let mut flags = Vec::new();
    if session.is_planning {
        flags.push(state.words.say(&words::PLANNING).to_owned());
    }
    if session.mode == PermitMode::Trust {
        flags.push(state.words.say(&words::TRUSTED).to_owned());
    }
    let tokens = session.usage.input.saturating_add(session.usage.output);
    Some(Status {
        model: session.model.clone(),
        tokens,
        // No request was sent yet, so the cost is zero.
        cost_usd: if tokens == 0 { Some(0.0) } else { session.cost_usd },
        cwd: session.cwd.clone(),
        sandbox: state.words.fill(&words::SANDBOX, &[("kind", session.sandbox)]),
        flags,
    })
}
