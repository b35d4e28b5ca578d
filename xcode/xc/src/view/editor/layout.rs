//! Lays out the input in rows, with the place of each of its atoms. Not here: which rows are shown.

use ratatui_core::style::{Style, Stylize as _};
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use super::super::buffer::{Atom, Buffer, PASTE_MOST};
use super::super::measure;

/// The prompt of the first row.
const MARK: &str = "> ";

/// The indent of the other rows.
const INDENT: &str = "  ";

/// The most lines of a long paste that are shown.
const PASTE_LINES: usize = 3;

/// The distance of tab stops, in cells.
const TAB: usize = 4;

/// The rows of the input.
pub(super) struct Layout {
    rows: Vec<Line<'static>>,
    /// Row and column of the boundary before each atom, and of the one after the last.
    places: Vec<(usize, usize)>,
}

impl Layout {
    /// The layout in a terminal of `columns`. One cell of each row is reserved for the cursor.
    pub(super) fn of(buffer: &Buffer, columns: u16) -> Self {
        let room = usize::from(columns).saturating_sub(measure::width(MARK) + 1).max(2);
        let mut writer = Writer { room, rows: vec![Line::from(MARK.blue().bold())], used: 0 };
        let mut places = Vec::with_capacity(buffer.atoms().len() + 1);
        for atom in buffer.atoms() {
            if !atom.is_line_end() && matches!(atom, Atom::Typed(_)) {
                writer.make_room(atom.text());
            }
            places.push(writer.place());
            match atom {
                Atom::Typed(_) if atom.is_line_end() => writer.row(),
                Atom::Typed(symbol) => writer.symbol(symbol, Style::new()),
                Atom::Pasted(text) => writer.pasted(text),
            }
        }
        places.push(writer.place());
        Self { rows: writer.rows, places }
    }

    /// Row and column of the boundary before the atom `at`.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        self.places.get(at).copied().unwrap_or_default()
    }

    pub(super) fn into_rows(self) -> Vec<Line<'static>> {
        self.rows
    }

    /// The boundary that is `by` rows away from the one at `from`, as near to its column as possible; none beyond the
    /// first and last rows.
    pub(super) fn row_off(&self, from: usize, by: isize) -> Option<usize> {
        let (row, column) = self.place(from);
        let wanted = row.checked_add_signed(by)?;
        // A paste may take rows that have no boundary.
        let rows = self.places.iter().map(|(row, _)| *row);
        let to = if by < 0 {
            rows.filter(|row| *row <= wanted).max()?
        } else {
            rows.filter(|row| *row >= wanted).min()?
        };
        let in_row = self.places.iter().enumerate().filter(|(_, (row, _))| *row == to);
        in_row.min_by_key(|(_, (_, at))| at.abs_diff(column)).map(|(place, _)| place)
    }
}

struct Writer {
    /// The width of a row behind its prompt, in cells.
    room: usize,
    rows: Vec<Line<'static>>,
    /// The used width of the last row, behind its prompt, in cells.
    used: usize,
}

impl Writer {
    fn place(&self) -> (usize, usize) {
        (self.rows.len() - 1, measure::width(MARK) + self.used)
    }

    fn row(&mut self) {
        self.rows.push(Line::from(INDENT));
        self.used = 0;
    }

    /// The width of a symbol in cells. Combining marks may add up to more than a row.
    fn cells(&self, symbol: &str) -> usize {
        let cells = if symbol == "\t" { TAB - self.used % TAB } else { measure::width(symbol) };
        cells.min(self.room)
    }

    /// Begins a new row if the symbol does not fit.
    fn make_room(&mut self, symbol: &str) {
        if self.used > 0 && self.used + self.cells(symbol) > self.room {
            self.row();
        }
    }

    fn symbol(&mut self, symbol: &str, style: Style) {
        self.make_room(symbol);
        let cells = self.cells(symbol);
        let shown = if symbol == "\t" { " ".repeat(cells) } else { symbol.to_owned() };
        self.used += cells;
        let Some(row) = self.rows.last_mut() else { return };
        match row.spans.last_mut() {
            Some(span) if row_goes_on(span, style) => span.content.to_mut().push_str(&shown),
            Some(_) | None => row.push_span(Span::styled(shown, style)),
        }
    }

    /// At most three lines and at most as many characters as a short paste may have, then the total.
    fn pasted(&mut self, text: &str) {
        let mut shown: String = text.chars().take(PASTE_MOST).collect();
        if let Some((end, _)) = shown.match_indices('\n').nth(PASTE_LINES - 1) {
            shown.truncate(end);
        }
        let count = text.chars().count();
        let rest = format!("\n... ({count} characters)");
        for symbol in shown.trim_end_matches('\n').graphemes(true).chain(rest.graphemes(true)) {
            match symbol {
                "\n" => self.row(),
                symbol => self.symbol(symbol, Style::new().dim()),
            }
        }
    }
}

fn row_goes_on(span: &Span<'_>, style: Style) -> bool {
    span.style == style && span.content != INDENT
}
