//! A text of one line that is asked for: words for a denial, an own answer, a key. Absent: what it is for.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::{Line, Span};

use super::measure;
use super::typing::Typing;
use crate::terminal::{Code, Input, Key, shown};

/// The most of a masked text that is shown: what tells one kind of key from another.
const UNMASKED: usize = 3;

/// How the text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Plain,
    /// Its beginning and `***`, whatever its length.
    Masked,
}

/// A one-line input.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    typing: Typing,
    shown: Shown,
}

impl Field {
    /// Empty.
    pub(crate) fn new(shown: Shown) -> Self {
        Self { typing: Typing::default(), shown }
    }

    /// What was typed, without spaces around it.
    pub(crate) fn text(&self) -> String {
        self.typing.buffer.text().trim().to_owned()
    }

    /// What the input comes to; nothing while it goes on.
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

    /// Pastes; line ends become spaces.
    pub(crate) fn paste(&mut self, text: &str) {
        self.typing.buffer.insert(&text.trim().replace(['\r', '\n'], " "));
    }

    /// The text, where Enter was pressed and there is one.
    pub(crate) fn key(&mut self, key: Key) -> Option<String> {
        if key.code == Code::Enter {
            return Some(self.text()).filter(|text| !text.is_empty());
        }
        self.typing.key(key);
        None
    }

    /// One row behind `mark`, and the cells before the cursor.
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

/// Own words, as the terminal shows them, on one line.
fn line(text: &str) -> String {
    shown(text).replace('\t', " ")
}
