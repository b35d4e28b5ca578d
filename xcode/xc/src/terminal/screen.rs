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
    /// Rows.
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
    /// What a plain terminal prints of it, once each time it changes: a question with its answers. Not painted.
    pub(crate) asked: Vec<Line<'static>>,
}
