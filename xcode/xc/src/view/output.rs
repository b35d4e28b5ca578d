//! The output of a running command: its last lines, bounded. Not here: the whole output, which is in the result.

use std::collections::VecDeque;

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use super::measure;
use crate::terminal::shown;

/// How many characters of a line are kept.
const LINE_CHARS: usize = 500;

/// The end of a growing output.
#[derive(Debug)]
pub(crate) struct Output {
    /// How many lines are kept.
    most: usize,
    lines: VecDeque<String>,
    /// Whether the last line is incomplete.
    is_open: bool,
    /// Whether the last character was a carriage return.
    is_returned: bool,
    /// How many earlier lines were dropped.
    left_out: usize,
}

impl Output {
    /// Keeps the last `most` lines, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most: most.max(1),
            lines: VecDeque::new(),
            is_open: false,
            is_returned: false,
            left_out: 0,
        }
    }

    /// Adds output. A carriage return starts the line again, as progress bars use it.
    pub(crate) fn push(&mut self, text: &str) {
        for piece in text.split_inclusive(['\n', '\r']) {
            let body = piece.trim_end_matches(['\n', '\r']);
            if !body.is_empty() {
                let begins_anew = std::mem::take(&mut self.is_returned);
                let line = self.open_line();
                if begins_anew {
                    line.clear();
                }
                line.push_str(body);
                if let Some((end, _)) = line.char_indices().nth(LINE_CHARS) {
                    line.truncate(end);
                }
            }
            if piece.ends_with('\n') {
                self.open_line();
                self.is_open = false;
                self.is_returned = false;
            } else {
                self.is_returned |= piece.ends_with('\r');
            }
        }
    }

    /// The incomplete line, or a new one.
    fn open_line(&mut self) -> &mut String {
        if !std::mem::replace(&mut self.is_open, true) {
            if self.lines.len() == self.most {
                self.lines.pop_front();
                self.left_out += 1;
            }
            self.lines.push_back(String::new());
        }
        // There is such a line: it was incomplete, or is new.
        let last = self.lines.len().saturating_sub(1);
        &mut self.lines[last]
    }

    /// One row per line, behind a bar, and the number of lines that are not shown.
    pub(crate) fn lines(&self, columns: u16) -> Vec<Line<'static>> {
        let room = usize::from(columns).saturating_sub(4);
        let row = |text: &str| {
            let text = measure::cut(&shown(text).replace('\t', "    "), room);
            Line::from(vec![Span::from("  │ ").dim(), Span::from(text).dim()])
        };
        let mut rows = Vec::new();
        if self.left_out > 0 {
            rows.push(row(&format!("... +{}", self.left_out)));
        }
        rows.extend(self.lines.iter().map(|line| row(line)));
        rows
    }
}
