//! A tool call: name, main argument, state and duration on one line. Not here: its output, which is in `output`.

use std::time::Duration;

use ratatui_core::style::{Style, Stylize as _};
use ratatui_core::text::{Line, Span};

use super::{measure, spinner};
use crate::figures::duration;

/// A call for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// Its main argument, such as the path; may have several lines.
    pub(crate) argument: String,
    /// Its state.
    pub(crate) state: State,
}

/// The state of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// It waits for an answer, or for its turn.
    Waiting,
    /// It has been running for this time.
    Running(Duration),
    /// It has succeeded after this time.
    Done(Duration),
    /// It has ended in another way, such as `failed` or `timed out`.
    Failed(String, Duration),
    /// It was not run, for this reason.
    Denied(String),
}

/// A running call: one row with the spinner. The argument is cut to fit.
pub(crate) fn live(call: &Call, columns: u16) -> Line<'static> {
    let mut line = finished(&Call { argument: String::new(), ..call.clone() });
    let room = usize::from(columns).saturating_sub(line.width() + 1);
    let argument = redact::visible_line(&call.argument);
    if !argument.is_empty() && room > 1 {
        line.spans.insert(2, Span::from(format!(" {}", measure::cut(&argument, room))));
    }
    line
}

/// A finished call in the scrollback: the argument in full, on one logical line.
pub(crate) fn finished(call: &Call) -> Line<'static> {
    let (mark, style) = match &call.state {
        State::Waiting => ("○", Style::new().dim()),
        State::Running(elapsed) => (spinner::turn(*elapsed), Style::new().cyan()),
        State::Done(_) => ("✓", Style::new().green()),
        State::Failed(..) => ("✗", Style::new().red()),
        State::Denied(_) => ("⊘", Style::new().yellow()),
    };
    let mut spans = vec![Span::styled(mark, style), Span::from(format!(" {}", call.tool)).bold()];
    if !call.argument.is_empty() {
        spans.push(Span::from(format!(" {}", redact::visible_line(&call.argument))));
    }
    let tail = match &call.state {
        State::Waiting => return Line::from(spans),
        State::Running(elapsed) | State::Done(elapsed) => duration(*elapsed),
        State::Failed(how, elapsed) => format!("{how}, {}", duration(*elapsed)),
        State::Denied(why) => why.clone(),
    };
    spans.push(Span::from(format!("  {tail}")).dim());
    Line::from(spans)
}
