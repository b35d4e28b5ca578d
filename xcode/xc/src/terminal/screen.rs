//! The content of the live region, and the terminal's size.

use ratatui_core::text::Line;

/// Erases everything from the start of the cursor's row on. In two steps, because tmux 3.3 treats erasing from the first
/// cell as leaving the screen, and copies its content into the scrollback.
pub(super) const ERASE: &str = "\r\x1b[K\x1b[1C\x1b[J\r";

/// The size of a terminal, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Size {
    /// Cells per row.
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// The region at the bottom: unfinished output, the dialog, the input, the status bar.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Live {
    /// From top to bottom. A line longer than a row takes several rows; when all lines need more rows than the
    /// terminal has, the upper ones are not shown.
    pub(crate) lines: Vec<Line<'static>>,
    /// The cursor's place: the line's index from 0, and the cells before it in that line. Hidden if none.
    pub(crate) cursor: Option<(usize, usize)>,
    /// Who draws the cursor.
    pub(crate) pointer: Pointer,
    /// What a plain terminal prints of it, each time it changes: a question with its answers. It is not painted.
    pub(crate) asked: Vec<Line<'static>>,
}

/// How an absent user is notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notify {
    /// The terminal's bell.
    Bell,
    /// A desktop message, if the terminal supports it (OSC 9).
    Message,
    /// Not at all.
    Off,
}

/// Who draws the cursor of a [`Live`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Pointer {
    /// The terminal, when text is typed: an input method shows its composition there.
    #[default]
    Own,
    /// We do, as a reversed cell, when no text is typed. The terminal's own cursor is hidden and does not interfere on a resize.
    Drawn,
}
