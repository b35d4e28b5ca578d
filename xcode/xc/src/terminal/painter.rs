//! Turns finished lines and the live region into output: one text per frame, in a synchronised update (DEC
//! 2026). Finished lines are logical lines, without padding or added line ends, so that the terminal wraps them itself, a
//! copy of them equals the source, and a resize rewraps them. Cursor moves are relative, so the terminal is never queried.
//! Between frames the cursor rests at the top of the region where possible: a terminal that is resized moves it with its
//! cell, so the next frame finds the region however its rows were wrapped. Not here: when a frame is due, and writing it.

use std::fmt::Write as _;

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::Line;

use super::door::shown;
use super::rows::{Rows, symbols, used, width};
use super::screen::{ERASE, Live, Pointer, Size};
use super::sgr::{self, Colours};

/// Begins a frame, which is shown at once by terminals that support it. The cursor is hidden meanwhile.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";

/// Ends [`BEGIN`].
const END: &str = "\x1b[?2026l";

/// Disables wrapping: for rows below an anchored cursor, and rows with a symbol that the terminal may show wider than we count.
/// Other rows may wrap: a terminal that has become narrower without a report yet must wrap them as [`Rows::wrapped`] counts.
const NO_WRAP: &str = "\x1b[?7l";

/// Ends [`NO_WRAP`].
const WRAP: &str = "\x1b[?7h";

/// Saves the cursor's place for [`RETURN`], within one frame that does not scroll in between.
const REMEMBER: &str = "\x1b7";

/// Moves the cursor back to where [`REMEMBER`] was written.
const RETURN: &str = "\x1b8";

/// The narrowest terminal in use, in cells: a cursor in the first row before this column stays in the first row.
const NARROWEST: u16 = 8;

/// What a terminal does on a resize with rows that are now too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reflow {
    /// It wraps them, and joins them when it becomes wider: all common terminals, also tmux.
    Wraps,
    /// It cuts them: xterm, GNU screen, the Linux console.
    Cuts,
}

/// Paints the frames of one terminal.
#[derive(Debug)]
pub(super) struct Painter {
    colours: Colours,
    reflow: Reflow,
    /// The last frame, set by [`Painter::paint`].
    shown: Option<Shown>,
}

#[derive(Debug)]
struct Shown {
    size: Size,
    rows: Rows,
    /// Row and column of the cursor after the frame.
    rest: (u16, u16),
}

impl Shown {
    /// Rows from the start of the region to the cursor, in a terminal that now has `size`.
    fn above(&self, size: Size, reflow: Reflow) -> u16 {
        let (row, column) = self.rest;
        if is_anchored(self.rest) || reflow == Reflow::Cuts || size.columns >= self.size.columns {
            return row;
        }
        let before: u16 = (0..row).map(|y| self.rows.wrapped(y, u16::MAX, size.columns) + 1).sum();
        before + self.rows.wrapped(row, column, size.columns)
    }

    /// Whether writing only the changed cells is enough to show `rows` with the cursor at `rest`. An anchored cursor does not
    /// move, so nothing may scroll.
    fn has_room(&self, rows: &Rows, rest: (u16, u16)) -> bool {
        match (is_anchored(self.rest), is_anchored(rest)) {
            (true, true) => rows.height() <= self.rows.height(),
            (before, after) => before == after,
        }
    }
}

/// Whether a cursor in this place stays in the first row of the region, whatever the terminal's width.
const fn is_anchored((row, column): (u16, u16)) -> bool {
    row == 0 && column < NARROWEST
}

impl Painter {
    /// A painter before its first frame; the cursor is at the start of an empty row.
    pub(super) const fn new(colours: Colours, reflow: Reflow) -> Self {
        Self { colours, reflow, shown: None }
    }

    /// Forgets the region, which is not on the screen any more.
    pub(super) fn forget(&mut self) {
        self.shown = None;
    }

    /// The output that shows `finished` above the region, and `live` as the region; empty if nothing changes.
    pub(super) fn paint(&mut self, size: Size, finished: &[Line<'_>], live: &Live) -> String {
        let mut rows = Rows::of(live, size);
        if live.pointer == Pointer::Drawn {
            rows.draw_cursor();
        }
        // A hidden cursor can rest anywhere.
        let rest = rows.cursor.unwrap_or_default();
        let mut pen = Pen::new(self.colours);
        match self.shown.take() {
            Some(shown) if finished.is_empty() && shown.rows == rows && shown.size == size => {
                self.shown = Some(shown);
                return String::new();
            }
            Some(shown)
                if finished.is_empty() && shown.size == size && shown.has_room(&rows, rest) =>
            {
                pen.change(&shown, &rows, rest);
            }
            shown => {
                let above = shown.map_or(0, |shown| shown.above(size, self.reflow));
                pen.up(above.min(size.rows.saturating_sub(1)));
                pen.text.push_str(ERASE);
                finished.iter().for_each(|line| pen.finished(line));
                pen.whole(&rows, rest);
            }
        }
        self.painted(pen, Shown { size, rows, rest })
    }

    /// The output that shows the whole region once more; empty if there is none.
    pub(super) fn paint_again(&mut self) -> String {
        let Some(shown) = self.shown.take() else { return String::new() };
        let mut pen = Pen::new(self.colours);
        pen.up(shown.rest.0);
        pen.text.push_str(ERASE);
        pen.whole(&shown.rows, shown.rest);
        self.painted(pen, shown)
    }

    fn painted(&mut self, mut pen: Pen, shown: Shown) -> String {
        if shown.rows.cursor.is_some() {
            pen.text.push_str("\x1b[?25h");
        }
        pen.text.push_str(END);
        self.shown = Some(shown);
        pen.text
    }

    /// How many rows of the region are above the cursor.
    pub(super) fn above(&self) -> u16 {
        self.shown.as_ref().map_or(0, |shown| shown.rest.0)
    }
}

/// The changes of a row.
struct Change<'b> {
    y: u16,
    /// The row is written again from its start.
    is_whole: bool,
    /// With their columns.
    cells: Vec<(u16, &'b Cell)>,
}

/// Builds a frame.
struct Pen {
    text: String,
    colours: Colours,
    /// The current style's numbers; empty for the terminal's own style.
    style: String,
}

impl Pen {
    fn new(colours: Colours) -> Self {
        Self { text: String::from(BEGIN), colours, style: String::new() }
    }

    /// Writes the region, from the start of an empty row on.
    fn whole(&mut self, rows: &Rows, rest: (u16, u16)) {
        match is_anchored(rest) {
            true => self.region_below(rows, rest),
            false => self.region(rows, rest),
        }
    }

    /// Writes a finished line.
    fn finished(&mut self, line: &Line<'_>) {
        for span in &line.spans {
            self.style(line.style.patch(span.style));
            self.text.push_str(&shown(&span.content));
        }
        self.plain();
        self.text.push_str("\r\n");
    }

    /// Writes the region above a cursor that is not anchored; the cursor moves from the region's end to `rest`.
    fn region(&mut self, rows: &Rows, (row, column): (u16, u16)) {
        let height = rows.height();
        for y in 0..height {
            if y > 0 {
                self.text.push_str("\r\n");
            }
            let is_disputed = is_disputed(&rows.buffer, y);
            if is_disputed {
                self.text.push_str(NO_WRAP);
            }
            self.row(rows, y);
            if is_disputed {
                self.text.push_str(WRAP);
            }
        }
        self.go(height.saturating_sub(1), row, column);
    }

    /// Writes the region below an anchored cursor. The cursor returns to its first row even if the terminal
    /// is narrower by now: the rows are created first, and after that no row wraps and nothing scrolls.
    fn region_below(&mut self, rows: &Rows, (_, column): (u16, u16)) {
        let below = rows.height().saturating_sub(1);
        (0..below).for_each(|_| self.text.push_str("\r\n"));
        self.up(below);
        self.text.push_str(REMEMBER);
        self.text.push_str(NO_WRAP);
        for y in 0..rows.height() {
            if y > 0 {
                self.go(0, 1, 0);
            }
            self.row(rows, y);
        }
        self.back(column);
    }

    fn row(&mut self, rows: &Rows, y: u16) {
        for (cell, _) in symbols(rows.row(y)) {
            self.cell(cell);
        }
        self.plain();
    }

    /// Moves from any place in the region back to a column of the first row.
    fn back(&mut self, column: u16) {
        self.text.push_str(WRAP);
        self.text.push_str(RETURN);
        self.go(0, 0, column);
    }

    /// Writes only the changed cells. The terminal's size is the same, and the cursor is where it was left.
    fn change(&mut self, shown: &Shown, rows: &Rows, rest: (u16, u16)) {
        let (mut row, _) = shown.rest;
        let (old, new) = (shown.rows.height(), rows.height());
        let is_anchored = is_anchored(rest);
        if is_anchored {
            self.text.push_str(REMEMBER);
            self.text.push_str(NO_WRAP);
        }
        if new > old {
            self.go(row, old.saturating_sub(1), 0);
            // An empty region also has a row: that of the cursor.
            for _ in old.max(1)..new {
                self.text.push_str("\r\n");
            }
            row = new - 1;
        }
        let area = Rect { height: old.max(new), ..rows.buffer.area };
        let in_area = |rows: &Rows| {
            let mut buffer = rows.buffer.clone();
            buffer.resize(area);
            buffer
        };
        let (before, after) = (in_area(&shown.rows), in_area(rows));
        for Change { y, is_whole, cells } in changes(&before, &after) {
            let mut at = None;
            if is_whole {
                self.go(row, y, 0);
                self.text.push_str("\x1b[K");
                self.text.push_str(NO_WRAP);
                (row, at) = (y, Some(0));
            }
            for (x, cell) in cells {
                if at != Some(x) {
                    self.plain();
                    self.go(row, y, x);
                    row = y;
                }
                self.cell(cell);
                at = Some(x + width(cell.symbol()).max(1));
            }
            self.plain();
            if is_whole && !is_anchored {
                self.text.push_str(WRAP);
            }
        }
        if new < old {
            if is_anchored {
                // Never moves up by a count: a terminal that has become lower has stopped the downward moves at its last row.
                self.text.push_str(RETURN);
                row = 0;
            }
            self.go(row, new, 0);
            self.text.push_str(ERASE);
            row = new;
        }
        let (to, column) = rest;
        match is_anchored {
            true => self.back(column),
            false => self.go(row, to, column),
        }
    }

    fn cell(&mut self, cell: &Cell) {
        self.style(cell.style());
        self.text.push_str(cell.symbol());
    }

    fn style(&mut self, style: Style) {
        let numbers = sgr::numbers(style, self.colours);
        if numbers != self.style {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "\x1b[0{numbers}m");
            self.style = numbers;
        }
    }

    fn plain(&mut self) {
        self.style(Style::default());
    }

    /// Moves from a row of the region to a place in it.
    fn go(&mut self, from: u16, to: u16, column: u16) {
        self.up(from.saturating_sub(to));
        if to > from {
            let _ = write!(self.text, "\x1b[{}B", to - from);
        }
        self.text.push('\r');
        if column > 0 {
            let _ = write!(self.text, "\x1b[{column}C");
        }
    }

    fn up(&mut self, rows: u16) {
        if rows > 0 {
            let _ = write!(self.text, "\x1b[{rows}A");
        }
    }
}

/// The changed cells, by row. All cells of a row that has a symbol whose width differs between terminals.
fn changes<'b>(before: &'b Buffer, after: &'b Buffer) -> Vec<Change<'b>> {
    let mut changes = Vec::new();
    let mut differing = before.diff_iter(after).peekable();
    while let Some((_, y, _)) = differing.peek().copied() {
        let same_row = |(_, row, _): &(u16, u16, &Cell)| *row == y;
        let mut cells = Vec::new();
        while let Some((x, _, cell)) = differing.next_if(same_row) {
            cells.push((x, cell));
        }
        let is_whole = is_disputed(before, y) || is_disputed(after, y);
        if is_whole {
            cells.clear();
            let mut x = 0;
            for (cell, width) in symbols(used(after, y)) {
                cells.push((x, cell));
                x += width;
            }
        }
        changes.push(Change { y, is_whole, cells });
    }
    changes
}

/// Whether a row has symbols of disputed width: emoji of several characters, letters with combining marks.
fn is_disputed(buffer: &Buffer, y: u16) -> bool {
    used(buffer, y).iter().any(|cell| cell.symbol().chars().nth(1).is_some())
}

#[cfg(test)]
mod tests;
