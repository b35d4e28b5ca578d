//! The chat input: several lines, history, history search, completion, long pastes shown by their beginning and sent
//! in full. Not here: handling what is sent, and finding candidates for a completion.

mod history;
mod layout;

use ratatui_core::style::Stylize as _;
use ratatui_core::text::Line;

use super::buffer::{Atom, Buffer};
use super::measure;
use super::typing::Typing;
use crate::terminal::{Code, Key};
use history::History;
use layout::Layout;

/// The most candidates that are shown.
const OFFERED_MOST: usize = 6;

/// The effect of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The input has handled it, and may look different now.
    Edited,
    /// The text is sent, and the input is empty. Enter.
    Send(String),
    /// The text is sent before the next model call. Ctrl+Enter, in terminals that distinguish it.
    Steer(String),
    /// The input does not handle it: Esc, Ctrl+C, Ctrl+D, Shift+Tab and others.
    Ignored,
}

/// The kind of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A slash command, at the start of the input.
    Command,
    /// A path or a name behind `@`.
    Reference,
}

/// The input.
#[derive(Debug, Clone)]
pub(crate) struct Editor {
    typing: Typing,
    history: History,
    /// The candidates, set by [`Editor::offer`], and the one that Tab inserted last.
    offered: Vec<String>,
    chosen: Option<usize>,
    /// The width of a row, set by [`Editor::lines`].
    columns: u16,
}

impl Editor {
    /// An empty input, with earlier inputs for the history, the oldest first.
    pub(crate) fn new(history: Vec<String>) -> Self {
        Self {
            typing: Typing::default(),
            history: History::new(history),
            offered: Vec::new(),
            chosen: None,
            columns: 80,
        }
    }

    /// The whole text, with pastes in full.
    pub(crate) fn text(&self) -> String {
        self.typing.buffer.text()
    }

    /// Whether it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.typing.buffer.is_empty() && !self.history.is_searching()
    }

    /// Empties it, and ends a history search.
    pub(crate) fn clear(&mut self) {
        self.set_text("");
    }

    /// Replaces the text, as when a queued message is edited.
    pub(crate) fn set_text(&mut self, text: &str) {
        self.typing.buffer = Buffer::of(text);
        self.history.leave();
        self.forget_offers();
    }

    /// Inserts a pasted text before the cursor.
    pub(crate) fn paste(&mut self, text: &str) {
        if !self.history.search_more(text) {
            self.typing.buffer.insert(text);
            self.forget_offers();
        }
    }

    /// Handles a key.
    pub(crate) fn key(&mut self, key: Key) -> Outcome {
        if self.history.is_searching() {
            return self.search_key(key);
        }
        let outcome = self.edit(key);
        let is_tab = key.code == Code::Tab;
        if outcome != Outcome::Ignored && !is_tab {
            self.forget_offers();
        }
        outcome
    }

    fn edit(&mut self, key: Key) -> Outcome {
        match key.code {
            Code::Enter if key.alt || key.shift => self.typing.buffer.insert("\n"),
            Code::Char('j') if key.ctrl => self.typing.buffer.insert("\n"),
            Code::Enter if key.ctrl => return self.send(Outcome::Steer),
            Code::Enter => return self.send(Outcome::Send),
            Code::Tab if key.shift => return Outcome::Ignored,
            Code::Tab => self.complete(),
            Code::Char('r') if key.ctrl => self.history.search(),
            Code::Up | Code::Down if self.go_row(key.code) => {}
            Code::Up | Code::Down => self.recall(key.code),
            // Ctrl+D ends the session if there is nothing to delete.
            Code::Char('d') if key.ctrl && self.typing.buffer.is_empty() => {
                return Outcome::Ignored;
            }
            Code::Char('d') if key.ctrl => {
                self.typing.buffer.remove_to(self.typing.buffer.right());
            }
            _ if self.typing.key(key) => {}
            _ => return Outcome::Ignored,
        }
        Outcome::Edited
    }

    fn send(&mut self, outcome: fn(String) -> Outcome) -> Outcome {
        let text = self.text();
        if text.trim().is_empty() {
            return Outcome::Edited;
        }
        self.history.push(&text);
        self.clear();
        outcome(text)
    }

    /// Moves up or down by a row; returns `false` at the edge.
    fn go_row(&mut self, code: Code) -> bool {
        let layout = Layout::of(&self.typing.buffer, self.columns);
        let by = if code == Code::Up { -1 } else { 1 };
        let to = layout.row_off(self.typing.buffer.cursor(), by);
        to.is_some_and(|to| {
            self.typing.buffer.go(to);
            true
        })
    }

    /// Recalls the previous or next input.
    fn recall(&mut self, code: Code) {
        let recalled = match code {
            Code::Up => self.history.older(&self.typing.buffer),
            _ => self.history.newer(),
        };
        if let Some(buffer) = recalled {
            self.typing.buffer = buffer;
        }
    }

    fn search_key(&mut self, key: Key) -> Outcome {
        match key.code {
            Code::Char('r') if key.ctrl => self.history.search_older(),
            Code::Esc => self.history.leave(),
            Code::Char('c' | 'g') if key.ctrl => self.history.leave(),
            Code::Backspace => self.history.search_less(),
            _ => match key.typed() {
                Some(char) => {
                    self.history.search_more(char.encode_utf8(&mut [0; 4]));
                }
                None => {
                    if let Some(found) = self.history.found() {
                        self.typing.buffer = Buffer::of(&found);
                    }
                    self.history.leave();
                    // Enter accepts the match; it does not send the text unseen.
                    if key.code != Code::Enter && key.code != Code::Tab {
                        return self.edit(key);
                    }
                }
            },
        }
        Outcome::Edited
    }

    /// The word at the cursor that can be completed, without its sign; the caller offers candidates for it.
    pub(crate) fn completing(&self) -> Option<(Kind, String)> {
        let (_, kind, word) = self.word()?;
        Some((kind, word))
    }

    /// Sets the candidates for the word that [`Editor::completing`] returns, without the sign, the best first.
    pub(crate) fn offer(&mut self, candidates: Vec<String>) {
        if candidates != self.offered {
            self.offered = candidates;
            self.chosen = None;
        }
    }

    /// The word before the cursor: where it begins behind the sign, its kind, and its text.
    fn word(&self) -> Option<(usize, Kind, String)> {
        let buffer = &self.typing.buffer;
        let start = buffer.word_start();
        let (sign, word) = buffer.atoms()[start..buffer.cursor()].split_first()?;
        let kind = match sign {
            Atom::Typed(sign) if sign == "@" => Kind::Reference,
            Atom::Typed(sign) if sign == "/" && start == 0 => Kind::Command,
            Atom::Typed(_) | Atom::Pasted(_) => return None,
        };
        Some((start + 1, kind, word.iter().map(Atom::text).collect()))
    }

    /// Completes to the only candidate, or to the common prefix, or else to one candidate after the other.
    fn complete(&mut self) {
        let Some((start, _, word)) = self.word() else { return };
        let Some(first) = self.offered.first() else { return };
        if let [only] = &*self.offered {
            let text = if only.ends_with('/') { only.clone() } else { format!("{only} ") };
            self.typing.buffer.replace_from(start, &text);
            self.forget_offers();
            return;
        }
        let common = self.offered.iter().skip(1).fold(first.as_str(), |common, other| {
            let same = common.char_indices().zip(other.chars());
            let end = same.take_while(|((_, one), other)| one == other).last();
            end.map_or("", |((at, char), _)| &common[..at + char.len_utf8()])
        });
        if self.chosen.is_none() && common.len() > word.len() && common.starts_with(&word) {
            let common = common.to_owned();
            self.typing.buffer.replace_from(start, &common);
            return;
        }
        let next = self.chosen.map_or(0, |chosen| (chosen + 1) % self.offered.len());
        let text = self.offered[next].clone();
        self.typing.buffer.replace_from(start, &text);
        self.chosen = Some(next);
    }

    fn forget_offers(&mut self) {
        self.offered.clear();
        self.chosen = None;
    }

    /// At most `most` rows of the input around the cursor; the candidates below them; and the cursor's place.
    /// `hint` is shown when the input is empty.
    pub(crate) fn lines(
        &mut self,
        columns: u16,
        most: u16,
        hint: &str,
    ) -> (Vec<Line<'static>>, (usize, usize)) {
        self.columns = columns;
        if let Some((query, found)) = self.history.shown() {
            return search_line(&query, &found, usize::from(columns));
        }
        let layout = Layout::of(&self.typing.buffer, columns);
        let (row, column) = layout.place(self.typing.buffer.cursor());
        let most = usize::from(most.max(1));
        let first = (row + 1).saturating_sub(most);
        let mut lines: Vec<Line<'static>> =
            layout.into_rows().into_iter().skip(first).take(most).collect();
        if self.typing.buffer.is_empty()
            && let Some(line) = lines.first_mut()
        {
            let room = usize::from(columns).saturating_sub(line.width());
            line.push_span(measure::cut(hint, room).dim());
        }
        let window = self.chosen.map_or(0, |chosen| (chosen + 1).saturating_sub(OFFERED_MOST));
        let offered = self.offered.iter().enumerate().skip(window).take(OFFERED_MOST);
        for (place, candidate) in offered {
            let text = format!("    {}", redact::visible_line(candidate));
            let line = Line::from(measure::cut(&text, usize::from(columns)));
            lines.push(if self.chosen == Some(place) { line.reversed() } else { line.dim() });
        }
        (lines, (row - first, column))
    }
}

/// The row of a history search, with the cursor behind the query.
fn search_line(query: &str, found: &str, columns: usize) -> (Vec<Line<'static>>, (usize, usize)) {
    let asked = measure::cut_start(&format!("(history) {query}"), columns.saturating_sub(1));
    let at = measure::width(&asked);
    let found = redact::visible_line(found.lines().next().unwrap_or_default());
    let line = measure::cut(&format!("{asked}: {found}"), columns);
    (vec![Line::from(line)], (0, at))
}

#[cfg(test)]
mod tests;
