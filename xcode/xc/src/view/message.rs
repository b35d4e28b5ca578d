//! The user's prompts, and the program's messages. Not here: the model's text, which is in `answer`.

use ratatui_core::style::Style;
use ratatui_core::text::Line;

/// A prompt: blue.
pub(crate) fn user(text: &str) -> Vec<Line<'static>> {
    let mut mark = "> ";
    let line = |line: &str| {
        let line = format!("{}{line}", std::mem::replace(&mut mark, "  "));
        Line::styled(line.trim_end().to_owned(), Style::new().blue())
    };
    text.split('\n').map(line).collect()
}

/// A message: inconspicuous.
pub(crate) fn note(text: &str) -> Vec<Line<'static>> {
    styled(text, Style::new().dim())
}

/// An error: red.
pub(crate) fn failure(text: &str) -> Vec<Line<'static>> {
    styled(text, Style::new().red())
}

fn styled(text: &str, style: Style) -> Vec<Line<'static>> {
    text.split('\n').map(|line| Line::styled(line.to_owned(), style)).collect()
}
