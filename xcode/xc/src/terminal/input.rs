//! What the user types, pastes, or says by the size of the window. Bytes are taken apart by `termina`, as they come and
//! never by asking. Absent: what a key does.

use std::collections::VecDeque;
use std::time::Duration;

use termina::escape::csi::{Csi, Keyboard};
use termina::event::{KeyCode, KeyEventKind, Modifiers};
use termina::{Event, Parser};

use super::key::{Code, Key};

/// More than so many characters that come at once are a paste, where the terminal puts none into brackets.
const TYPED_MOST: usize = 500;

/// How long the rest of a sequence or of a paste without brackets may take.
pub(super) const REST: Duration = Duration::from_millis(30);

/// What comes from the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// A pasted text; its line ends are `\n`.
    Paste(String),
    /// A whole line, of a plain terminal only.
    Line(String),
    /// The terminal has another size: draw again.
    Resize,
    /// The terminal is gone, or its user has ended the input.
    Closed,
}

/// Takes bytes apart.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    parser: Parser,
    /// What came since the last pause, not given out yet.
    burst: Vec<Event>,
    /// Characters in it.
    chars: usize,
    /// What is there to be taken.
    ready: VecDeque<Input>,
    /// The terminal has said that it can tell keys apart.
    tells_keys: bool,
}

impl Decoder {
    /// Bytes came.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.parser.parse(bytes, true);
        self.take();
        if self.chars <= TYPED_MOST {
            self.give();
        }
    }

    /// Nothing came for [`REST`]: an escape is the key, a burst is whole.
    pub(super) fn pause(&mut self) {
        self.parser.parse(&[], false);
        self.take();
        self.give();
    }

    /// The next input, where there is one.
    pub(super) fn pop(&mut self) -> Option<Input> {
        self.ready.pop_front()
    }

    /// Once, after the terminal has said that it can tell keys apart.
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

    /// Gives out the burst: as one paste, where it is too long to be typed.
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

/// With `\n` as the only line end.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// The character of an event that may be part of a paste.
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
