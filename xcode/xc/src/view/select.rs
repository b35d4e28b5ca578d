//! A question with a list of answers, of which the last may be free text. Not here: who asks.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use super::field::{Field, Shown};
use super::measure;
use crate::terminal::{Code, Input, Key, shown};

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// Its label, a few words.
    pub(crate) label: String,
    /// Its explanation; may be empty.
    pub(crate) description: String,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chosen {
    /// An item, by index from 0.
    Item(usize),
    /// Free text.
    Own(String),
}

/// The list, and the selected item.
#[derive(Debug, Clone)]
pub(crate) struct Select {
    question: String,
    items: Vec<Item>,
    /// The label and the field of the last row, if free text is allowed.
    own: Option<(String, Field)>,
    /// The line of keys, such as `↑↓ move  Enter choose`.
    footer: String,
    at: usize,
}

impl Select {
    /// A dialog with the first item selected. With `own` as its label, free text is allowed.
    pub(crate) fn new(question: &str, items: Vec<Item>, own: Option<&str>, footer: &str) -> Self {
        let own = own.map(|label| (label.to_owned(), Field::new(Shown::Plain)));
        Self { question: question.to_owned(), items, own, footer: footer.to_owned(), at: 0 }
    }

    /// The answer for a key, if it completes the dialog. Esc and Ctrl+C are handled by the program.
    pub(crate) fn key(&mut self, key: Key) -> Option<Chosen> {
        let rows = self.items.len() + usize::from(self.own.is_some());
        match key.code {
            Code::Up => self.at = self.at.checked_sub(1).unwrap_or(rows.saturating_sub(1)),
            Code::Down => self.at = if self.at + 1 < rows { self.at + 1 } else { 0 },
            Code::Enter if self.at < self.items.len() => return Some(Chosen::Item(self.at)),
            _ if self.at >= self.items.len() => {
                let (_, field) = self.own.as_mut()?;
                return field.key(key).map(Chosen::Own);
            }
            Code::Char(digit @ '1'..='9') if key.typed().is_some() => {
                let place = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok())?;
                if place <= rows {
                    self.at = place - 1;
                }
            }
            _ => {}
        }
        None
    }

    /// Handles an input, and returns the answer if it completes the dialog.
    pub(crate) fn input(&mut self, input: &Input) -> Option<Chosen> {
        match input {
            Input::Key(key) => self.key(*key),
            Input::Line(line) => self.line(line),
            Input::Paste(text) => {
                self.paste(text);
                None
            }
            Input::Resize | Input::Closed => None,
        }
    }

    /// Inserts a pasted text into the free answer, and selects it.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Some((_, field)) = &mut self.own {
            self.at = self.items.len();
            field.paste(text);
        }
    }

    /// The answer for a line from a plain terminal: a number, a label, or free text.
    pub(crate) fn line(&self, line: &str) -> Option<Chosen> {
        let line = line.trim();
        let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let place = number.or_else(|| self.items.iter().position(|item| item.label == line));
        match place {
            Some(place) if place < self.items.len() => Some(Chosen::Item(place)),
            Some(_) | None if line.is_empty() || self.own.is_none() => None,
            // The number of the last row asks for free text.
            Some(place) if place == self.items.len() => None,
            Some(_) | None => Some(Chosen::Own(line.to_owned())),
        }
    }

    /// The rows, and the cursor's place.
    pub(crate) fn lines(&self, columns: u16) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        let room = usize::from(columns);
        let mut lines: Vec<Line<'static>> = Vec::new();
        for line in self.question.split('\n').flat_map(|line| measure::wrap(line, room)) {
            lines.push(Line::from(line.to_owned()).bold());
        }
        let mut cursor = None;
        for (place, item) in self.items.iter().enumerate() {
            let label = shown(&item.label);
            let label = measure::cut(&format!("{}{}. {label}", self.mark(place), place + 1), room);
            let left = room.saturating_sub(measure::width(&label) + 2);
            let mut spans = vec![self.styled(place, label)];
            if !item.description.is_empty() && left > 3 {
                let text = shown(&item.description);
                spans.push(Span::from(format!("  {}", measure::cut(&text, left))).dim());
            }
            lines.push(Line::from(spans));
        }
        if let Some((label, field)) = &self.own {
            let place = self.items.len();
            let mark = format!("{}{}. ", self.mark(place), place + 1);
            if self.at == place {
                let (line, column) = field.line(&mark, columns);
                cursor = Some((lines.len(), column));
                let is_empty = field.text().is_empty();
                lines.push(line);
                if is_empty && let Some(line) = lines.last_mut() {
                    let left = room.saturating_sub(measure::width(&mark));
                    line.push_span(Span::from(measure::cut(label, left)).dim());
                }
            } else {
                lines.push(Line::from(measure::cut(&format!("{mark}{label}"), room)));
            }
        }
        lines.push(Line::from(measure::cut(&self.footer, room)).dim());
        (lines, cursor)
    }

    /// The full question for a plain terminal.
    pub(crate) fn asked(&self) -> Vec<Line<'static>> {
        let mut lines: Vec<Line<'static>> =
            self.question.split('\n').map(|line| Line::from(line.to_owned())).collect();
        for (place, item) in self.items.iter().enumerate() {
            let dash = if item.description.is_empty() { "" } else { ": " };
            let text = format!("{}{dash}{}", item.label, item.description);
            lines.push(Line::from(format!("{}. {}", place + 1, shown(&text))));
        }
        if let Some((label, _)) = &self.own {
            lines.push(Line::from(format!("{}. {label}", self.items.len() + 1)));
        }
        lines
    }

    fn mark(&self, place: usize) -> &'static str {
        if self.at == place { "❯ " } else { "  " }
    }

    fn styled(&self, place: usize, text: String) -> Span<'static> {
        if self.at == place { Span::from(text).cyan().bold() } else { Span::from(text) }
    }
}
