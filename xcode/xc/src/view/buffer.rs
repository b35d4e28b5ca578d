//! The text being typed: a sequence of graphemes and collapsed pastes, with a cursor between two of them. Not here:
//! key bindings, history, how the text is shown.

use unicode_segmentation::UnicodeSegmentation as _;

/// A longer paste, in characters, is shown as its beginning only.
pub(super) const PASTE_MOST: usize = 500;

/// A unit that the cursor passes in one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Atom {
    /// One grapheme.
    Typed(String),
    /// A long paste, in full.
    Pasted(String),
}

impl Atom {
    /// The text that is sent for it.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Typed(text) | Self::Pasted(text) => text,
        }
    }

    pub(super) fn is_line_end(&self) -> bool {
        matches!(self, Self::Typed(text) if text == "\n")
    }

    fn is_word(&self) -> bool {
        match self {
            Self::Typed(text) => text.chars().any(|char| char.is_alphanumeric() || char == '_'),
            Self::Pasted(_) => true,
        }
    }
}

/// An edited text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Buffer {
    atoms: Vec<Atom>,
    /// The number of atoms before the cursor.
    cursor: usize,
}

impl Buffer {
    /// The text with the cursor at its end, nothing collapsed.
    pub(super) fn of(text: &str) -> Self {
        let atoms: Vec<Atom> = graphemes(&lines(text)).collect();
        Self { cursor: atoms.len(), atoms }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.atoms.is_empty()
    }

    pub(super) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(super) const fn cursor(&self) -> usize {
        self.cursor
    }

    /// The whole text, with pastes in full.
    pub(super) fn text(&self) -> String {
        self.atoms.iter().map(Atom::text).collect()
    }

    /// Inserts a typed or pasted text before the cursor. A long paste becomes a single atom.
    pub(super) fn insert(&mut self, text: &str) {
        let text = lines(text);
        if text.chars().nth(PASTE_MOST).is_some() {
            self.atoms.insert(self.cursor, Atom::Pasted(text));
            self.cursor += 1;
        } else {
            let before = self.atoms.len();
            self.atoms.splice(self.cursor..self.cursor, graphemes(&text));
            self.cursor += self.atoms.len() - before;
            self.heal();
        }
    }

    /// Removes the atoms between the cursor and `to`, and returns their text.
    pub(super) fn remove_to(&mut self, to: usize) -> String {
        let (from, to) = (self.cursor.min(to), self.cursor.max(to).min(self.atoms.len()));
        let removed = self.atoms.drain(from..to).map(|atom| atom.text().to_owned()).collect();
        self.cursor = from;
        self.heal();
        removed
    }

    /// Replaces the atoms from `from` to the cursor.
    pub(super) fn replace_from(&mut self, from: usize, text: &str) {
        self.remove_to(from);
        self.insert(text);
    }

    pub(super) fn go(&mut self, to: usize) {
        self.cursor = to.min(self.atoms.len());
    }

    pub(super) const fn left(&self) -> usize {
        self.cursor.saturating_sub(1)
    }

    pub(super) fn right(&self) -> usize {
        (self.cursor + 1).min(self.atoms.len())
    }

    pub(super) const fn end(&self) -> usize {
        self.atoms.len()
    }

    /// The start of the cursor's line.
    pub(super) fn line_start(&self) -> usize {
        self.atoms[..self.cursor].iter().rposition(Atom::is_line_end).map_or(0, |end| end + 1)
    }

    /// The end of the cursor's line.
    pub(super) fn line_end(&self) -> usize {
        let rest = &self.atoms[self.cursor..];
        rest.iter().position(Atom::is_line_end).map_or(self.atoms.len(), |end| self.cursor + end)
    }

    /// The start of the word before the cursor.
    pub(super) fn word_left(&self) -> usize {
        let before = &self.atoms[..self.cursor];
        let Some(last) = before.iter().rposition(Atom::is_word) else { return 0 };
        before[..last].iter().rposition(|atom| !atom.is_word()).map_or(0, |gap| gap + 1)
    }

    /// The end of the word behind the cursor.
    pub(super) fn word_right(&self) -> usize {
        let after = &self.atoms[self.cursor..];
        let Some(first) = after.iter().position(Atom::is_word) else { return self.atoms.len() };
        let rest = &after[first..];
        let length = rest.iter().position(|atom| !atom.is_word()).unwrap_or(rest.len());
        self.cursor + first + length
    }

    /// The start of what Ctrl+W deletes: up to a space, as in shells.
    pub(super) fn blank_left(&self) -> usize {
        let is_blank = |atom: &Atom| atom.text().trim().is_empty();
        let before = &self.atoms[..self.cursor];
        let Some(last) = before.iter().rposition(|atom| !is_blank(atom)) else { return 0 };
        before[..last].iter().rposition(is_blank).map_or(0, |gap| gap + 1)
    }

    /// The start of the text before the cursor that contains no space and no paste.
    pub(super) fn word_start(&self) -> usize {
        let is_gap = |atom: &Atom| matches!(atom, Atom::Pasted(_)) || atom.text().trim().is_empty();
        self.atoms[..self.cursor].iter().rposition(is_gap).map_or(0, |gap| gap + 1)
    }

    /// Splits the typed text around a change into graphemes again, since its two sides may form one grapheme now. The
    /// cursor moves behind a grapheme that it would be inside of.
    fn heal(&mut self) {
        let is_pasted = |atom: &Atom| matches!(atom, Atom::Pasted(_));
        let start = self.atoms[..self.cursor].iter().rposition(is_pasted).map_or(0, |at| at + 1);
        let rest = &self.atoms[self.cursor..];
        let end = rest.iter().position(is_pasted).map_or(self.atoms.len(), |at| self.cursor + at);
        let before: usize =
            self.atoms[start..self.cursor].iter().map(|atom| atom.text().len()).sum();
        let run: String = self.atoms[start..end].iter().map(Atom::text).collect();
        let mut at = 0;
        let mut cursor = start;
        for (place, symbol) in (start..).zip(run.graphemes(true)) {
            if at < before {
                cursor = place + 1;
            }
            at += symbol.len();
        }
        self.atoms.splice(start..end, graphemes(&run));
        self.cursor = cursor;
    }
}

fn graphemes(text: &str) -> impl Iterator<Item = Atom> {
    text.graphemes(true).map(|symbol| Atom::Typed(symbol.to_owned()))
}

/// The text with `\n` as the only line end.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
