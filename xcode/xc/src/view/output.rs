//! What a command prints while it runs: the last lines of it, bounded. Absent: the whole, which the result has.

use std::collections::VecDeque;

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use super::measure;
use crate::terminal::shown;

/// Most characters of a line that are kept.
const LINE_CHARS: usize = 500;

/// The end of an output that grows.
#[derive(Debug)]
pub(crate) struct Output {
    /// Most lines that are kept.
    most: usize,
    lines: VecDeque<String>,
    /// The last line has not ended.
    is_open: bool,
    /// Lines that were left out before those.
    left_out: usize,
}

impl Output {
    /// Keeps the last `most` lines, at least one.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), lines: VecDeque::new(), is_open: false, left_out: 0 }
    }

    /// More was printed. A carriage return begins the line anew, as progress bars do.
    pub(crate) fn push(&mut self, text: &str) {
        for part in text.split_inclusive('\n') {
            let (part, ends) = match part.strip_suffix('\n') {
                Some(line) => (line.strip_suffix('\r').unwrap_or(line), true),
                None => (part, false),
            };
            if !self.is_open {
                self.lines.push_back(String::new());
                if self.lines.len() > self.most {
                    self.lines.pop_front();
                    self.left_out += 1;
                }
            }
            if let Some(line) = self.lines.back_mut() {
                match part.rsplit_once('\r') {
                    // What follows is not known yet: the line may go on or begin anew.
                    Some((before, "")) => line.push_str(before),
                    Some((_, after)) => after.clone_into(line),
                    None => line.push_str(part),
                }
                if let Some((end, _)) = line.char_indices().nth(LINE_CHARS) {
                    line.truncate(end);
                }
            }
            self.is_open = !ends;
        }
    }

    /// One row for each line, behind a bar, and how many lines are not shown.
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
