//! What is shown at the bottom, and how large the terminal is.

use ratatui_core::text::Line;

/// Erases all from the start of the cursor's row on. Not in one step: tmux 3.3 takes a terminal that is erased from its first
/// cell for one that is left, and keeps what was on it in the scrollback.
pub(super) const ERASE: &str = "\r\x1b[K\x1b[1C\x1b[J\r";

/// The size of a terminal, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Cells of a row.
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// The region at the bottom: what is not finished, the dialog, the input, the status.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Live {
    /// From top to bottom. One that is longer than a row takes several; where all of them take more rows than the
    /// terminal has, the upper ones are not shown.
    pub(crate) lines: Vec<Line<'static>>,
    /// Where the cursor stands: a line's place from 0, and the cells before it in that line. Hidden where none.
    pub(crate) cursor: Option<(usize, usize)>,
    /// Whose the cursor is.
    pub(crate) pointer: Pointer,
    /// What a plain terminal prints of it, once each time it changes: a question with its answers. Not painted.
    pub(crate) asked: Vec<Line<'static>>,
}

/// How a user is called who looks elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notify {
    /// The terminal's bell.
    Bell,
    /// A message of the desktop, where the terminal knows that (OSC 9).
    Message,
    /// Not at all.
    Off,
}

/// Who shows the cursor of a [`Live`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// The terminal: a text is typed there, and an input method shows there what is composed.
    #[default]
    Own,
    /// A cell in reverse, where nothing is typed. The terminal's own, hidden, stays out of the way of a resize.
    Drawn,
}
