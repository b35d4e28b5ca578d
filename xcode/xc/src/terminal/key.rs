//! A key press. Not here: the bytes that a terminal sends for it.

/// A pressed key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) code: Code,
    pub(crate) ctrl: bool,
    pub(crate) alt: bool,
    /// With Shift. Never set for characters: `A` implies it.
    pub(crate) shift: bool,
}

/// A key's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// The character that it types; a small letter with Ctrl.
    Char(char),
    Enter,
    /// With Shift, it is Shift+Tab.
    Tab,
    Backspace,
    Delete,
    Esc,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

impl Key {
    /// The key without modifiers.
    pub(crate) const fn of(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A character with Ctrl.
    pub(crate) const fn ctrl(letter: char) -> Self {
        Self { code: Code::Char(letter), ctrl: true, alt: false, shift: false }
    }

    /// The character that the key types.
    pub(crate) const fn typed(self) -> Option<char> {
        match self.code {
            Code::Char(char) if !self.ctrl && !self.alt => Some(char),
            _ => None,
        }
    }
}
