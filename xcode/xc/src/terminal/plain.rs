//! Output to a plain terminal: each line is printed once, in order. Not here: styles, cursor movement.

use ratatui_core::text::Line;

use super::door::shown;
use super::screen::Live;

/// Prints finished lines once, and each question once.
#[derive(Debug, Default)]
pub(super) struct Printer {
    /// The question that was printed last.
    asked: Vec<Line<'static>>,
}

impl Printer {
    /// The output to write.
    pub(super) fn print(&mut self, finished: &[Line<'_>], live: &Live) -> String {
        let mut text = String::new();
        let mut put = |line: &Line<'_>| {
            line.spans.iter().for_each(|span| text.push_str(&shown(&span.content)));
            text.push('\n');
        };
        finished.iter().for_each(&mut put);
        if live.asked != self.asked {
            live.asked.iter().for_each(&mut put);
            self.asked.clone_from(&live.asked);
        }
        text
    }
}
