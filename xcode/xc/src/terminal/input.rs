//! Decodes input: keys, pastes, and size changes. `termina` parses the bytes as they arrive, and
//! the terminal is never queried. Not here: what a key does.

use std::collections::VecDeque;
use std::time::Duration;

use termina::escape::csi::{Csi, Keyboard};
use termina::event::{KeyCode, KeyEventKind, Modifiers};
use termina::{Event, Parser};

use super::key::{Code, Key};

/// More characters than this that arrive at once are a paste, in a terminal without bracketed paste.
const TYPED_MOST: usize = 500;

/// How long to wait for the rest of a sequence, or of a paste without brackets.
pub(super) const REST: Duration = Duration::from_millis(30);

/// An input of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// A pasted text, with `\n` as line ends.
    Paste(String),
    /// A complete line, from a plain terminal only.
    Line(String),
    /// The terminal's size has changed: draw again.
    Resize,
    /// The terminal is gone, or the user has ended the input.
    Closed,
}

/// Decodes bytes.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    parser: Parser,
    /// The events since the last pause, not returned yet.
    burst: Vec<Event>,
    /// The number of characters in them.
    chars: usize,
    /// Complete inputs.
    ready: VecDeque<Input>,
    /// The terminal has reported that it supports the kitty keyboard protocol.
    tells_keys: bool,
}

impl Decoder {
    /// Adds bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.parser.parse(bytes, true);
        self.take();
        if self.chars <= TYPED_MOST {
            self.give();
        }
    }

    /// Handles a pause of [`REST`]: an escape is the key, and a burst is complete.
    pub(super) fn pause(&mut self) {
        self.parser.parse(&[], false);
        self.take();
        self.give();
    }

    /// The next complete input, if there is one.
    pub(super) fn pop(&mut self) -> Option<Input> {
        self.ready.pop_front()
    }

    /// Whether the terminal has reported support of the keyboard protocol; `true` once.
    pub(super) fn take_tells_keys(&mut self) -> bool {
        std::mem::take(&mut self.tells_keys)
    }

    fn take(&mut self) {
        while let Some(event) = self.parser.pop() {
            if let Event::Csi(Csi::Keyboard(Keyboard::ReportFlags(_))) = event {
                self.tells_keys = true;
            } else {
                self.chars += usize::from(text(&event).is_some());
                self.burst.push(event);
            }
        }
    }

    /// Returns the burst: as one paste if it is too long to be typed.
    fn give(&mut self) {
        let burst = std::mem::take(&mut self.burst);
        if std::mem::take(&mut self.chars) <= TYPED_MOST {
            self.ready.extend(burst.iter().filter_map(input));
            return;
        }
        let mut pasted = String::new();
        for event in &burst {
            if let Some(char) = text(event) {
                pasted.push(char);
                continue;
            }
            if !pasted.is_empty() {
                self.ready.push_back(Input::Paste(lines(&std::mem::take(&mut pasted))));
            }
            self.ready.extend(input(event));
        }
        if !pasted.is_empty() {
            self.ready.push_back(Input::Paste(lines(&pasted)));
        }
    }
}

/// The text with `\n` as the only line end.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The character of an event that can be part of a paste.
fn text(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    match key.code {
        KeyCode::Char('j') if key.modifiers == Modifiers::CONTROL => Some('\n'),
        KeyCode::Char(char) if (key.modifiers - Modifiers::SHIFT).is_empty() => Some(char),
        KeyCode::Enter if key.modifiers.is_empty() => Some('\r'),
        KeyCode::Tab if key.modifiers.is_empty() => Some('\t'),
        _ => None,
    }
}

fn input(event: &Event) -> Option<Input> {
    match event {
        Event::Key(event) if event.kind != KeyEventKind::Release => {
            let code = match event.code {
                KeyCode::Char(char) => Code::Char(char),
                KeyCode::Enter => Code::Enter,
                KeyCode::Tab | KeyCode::BackTab => Code::Tab,
                KeyCode::Backspace => Code::Backspace,
                KeyCode::Delete => Code::Delete,
                KeyCode::Escape => Code::Esc,
                KeyCode::Up => Code::Up,
                KeyCode::Down => Code::Down,
                KeyCode::Left => Code::Left,
                KeyCode::Right => Code::Right,
                KeyCode::Home => Code::Home,
                KeyCode::End => Code::End,
                KeyCode::PageUp => Code::PageUp,
                KeyCode::PageDown => Code::PageDown,
                _ => return None,
            };
            let has = |modifier| event.modifiers.contains(modifier);
            let is_char = matches!(code, Code::Char(_));
            Some(Input::Key(Key {
                code,
                ctrl: has(Modifiers::CONTROL),
                alt: has(Modifiers::ALT),
                shift: !is_char && (has(Modifiers::SHIFT) || event.code == KeyCode::BackTab),
            }))
        }
        Event::Paste(text) => Some(Input::Paste(lines(text))),
        _ => None,
    }
}
