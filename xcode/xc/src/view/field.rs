//! A one-line text field: a message with a denial, a free answer, a key. Not here: the use of the text.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use super::measure;
use super::typing::Typing;
use crate::terminal::{Code, Input, Key, shown};

/// How many characters of a masked text are shown: enough to tell one kind of key from another.
const UNMASKED: usize = 3;

/// How the text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Plain,
    /// The beginning and `***`, whatever the length.
    Masked,
}

/// A one-line input.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    typing: Typing,
    shown: Shown,
}

impl Field {
    /// An empty field.
    pub(crate) fn new(shown: Shown) -> Self {
        Self { typing: Typing::default(), shown }
    }

    /// The typed text, trimmed.
    pub(crate) fn text(&self) -> String {
        self.typing.buffer.text().trim().to_owned()
    }

    /// Handles an input, and returns the text if it is complete.
    pub(crate) fn input(&mut self, input: &Input) -> Option<String> {
        match input {
            Input::Key(key) => self.key(*key),
            Input::Line(line) => Some(line.trim().to_owned()).filter(|text| !text.is_empty()),
            Input::Paste(text) => {
                self.paste(text);
                None
            }
            Input::Resize | Input::Closed => None,
        }
    }

    /// Inserts a pasted text; line ends become spaces.
    pub(crate) fn paste(&mut self, text: &str) {
        self.typing.buffer.insert(&text.trim().replace(['\r', '\n'], " "));
    }

    /// The text, if Enter was pressed and it is not empty.
    pub(crate) fn key(&mut self, key: Key) -> Option<String> {
        if key.code == Code::Enter {
            return Some(self.text()).filter(|text| !text.is_empty());
        }
        self.typing.key(key);
        None
    }

    /// One row behind `mark`, and the number of cells before the cursor.
    pub(crate) fn line(&self, mark: &str, columns: u16) -> (Line<'static>, usize) {
        let room = usize::from(columns).saturating_sub(measure::width(mark) + 1);
        let buffer = &self.typing.buffer;
        let text = buffer.text();
        let (before, after) = match self.shown {
            Shown::Masked if text.is_empty() => (String::new(), String::new()),
            Shown::Masked => {
                let shown: String = text.chars().take(UNMASKED).collect();
                let is_short = text.chars().nth(UNMASKED * 3).is_none();
                (if is_short { "***".to_owned() } else { format!("{shown}***") }, String::new())
            }
            Shown::Plain => {
                let (before, after) = buffer.atoms().split_at(buffer.cursor());
                (
                    before.iter().map(|atom| atom.text()).collect(),
                    after.iter().map(|atom| atom.text()).collect(),
                )
            }
        };
        let before = measure::cut_start(&line(&before), room);
        let used = measure::width(&before);
        let after = measure::cut(&line(&after), room.saturating_sub(used));
        let line =
            Line::from(vec![Span::from(mark.to_owned()).bold(), Span::from(before + &after)]);
        (line, measure::width(mark) + used)
    }
}

/// The text on one line, as the terminal shows it.
fn line(text: &str) -> String {
    shown(text).replace('\t', " ")
}
