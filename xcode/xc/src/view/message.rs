//! What the user said, and what the program says between the messages. Absent: the model's words, which are `answer`.

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

/// Something worth a line: quiet.
pub(crate) fn note(text: &str) -> Vec<Line<'static>> {
    styled(text, Style::new().dim())
}

/// Something that went wrong: red.
pub(crate) fn failure(text: &str) -> Vec<Line<'static>> {
    styled(text, Style::new().red())
}

fn styled(text: &str, style: Style) -> Vec<Line<'static>> {
    text.split('\n').map(|line| Line::styled(line.to_owned(), style)).collect()
}
