//! Splits lines into rows of cells for the live region, and counts the rows that they take after a resize. Widths
//! come from `unicode-width`; a grapheme is never split. Not here: finished lines, which the terminal itself wraps.

use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::door::shown;
use super::screen::{Live, Size};

/// The distance of tab stops in the live region, in cells.
const TAB: usize = 4;

/// Rows of cells, with the cursor's place among them.
#[derive(Debug, PartialEq)]
pub(super) struct Rows {
    /// As wide as the terminal; its height is the number of used rows.
    pub(super) buffer: Buffer,
    /// Row and column of the cursor, if it is shown.
    pub(super) cursor: Option<(u16, u16)>,
}

impl Rows {
    /// The rows of the region, at most as many as the terminal has.
    pub(super) fn of(live: &Live, size: Size) -> Self {
        let columns = usize::from(size.columns.max(1));
        let mut rows: Vec<Vec<(String, Style)>> = Vec::new();
        let mut cursor = None;
        for (place, line) in live.lines.iter().enumerate() {
            let first = rows.len();
            cut(line, columns, &mut rows);
            if let Some((at, before)) = live.cursor
                && at == place
            {
                let row = (first + before / columns).min(rows.len());
                if row == rows.len() {
                    rows.push(Vec::new());
                }
                cursor = Some((row, before % columns));
            }
        }
        let most = usize::from(size.rows.max(1));
        let mut first = rows.len().saturating_sub(most);
        if let Some((row, _)) = cursor {
            first = first.min(row);
        }
        let shown = &rows[first..rows.len().min(first + most)];
        let height = u16::try_from(shown.len()).unwrap_or(u16::MAX);
        let mut buffer = Buffer::empty(Rect::new(0, 0, size.columns.max(1), height));
        for (y, row) in (0..height).zip(shown) {
            let mut x = 0;
            for (symbol, style) in row {
                let Some(cell) = buffer.cell_mut((x, y)) else { break };
                cell.set_symbol(symbol).set_style(*style);
                x = x.saturating_add(width(symbol));
            }
        }
        let cell = |(row, column): (usize, usize)| {
            (u16::try_from(row - first).unwrap_or(0), u16::try_from(column).unwrap_or(0))
        };
        Self { buffer, cursor: cursor.map(cell) }
    }

    /// Draws the cursor as a cell, instead of using the terminal's own.
    pub(super) fn draw_cursor(&mut self) {
        if let Some(place) = self.cursor.take()
            && let Some(cell) = self.buffer.cell_mut((place.1, place.0))
        {
            cell.modifier.toggle(Modifier::REVERSED);
        }
    }

    /// The number of rows.
    pub(super) fn height(&self) -> u16 {
        self.buffer.area().height
    }

    /// The cells of a row, up to the last visible one; the cursor's cell counts as visible.
    pub(super) fn row(&self, y: u16) -> &[Cell] {
        let shown = used(&self.buffer, y);
        match self.cursor {
            Some((row, column)) if row == y && usize::from(column) >= shown.len() => {
                let columns = usize::from(self.buffer.area().width);
                let start = usize::from(y) * columns;
                let end = start + columns.min(usize::from(column) + 1);
                self.buffer.content().get(start..end).unwrap_or_default()
            }
            Some(_) | None => shown,
        }
    }

    /// How many rows of a terminal of `columns` row `y` takes above its cell at `column`, after rewrapping. All but the
    /// last one, if there is no such cell.
    pub(super) fn wrapped(&self, y: u16, column: u16, columns: u16) -> u16 {
        let (mut row, mut used, mut at) = (0, 0, 0);
        for (_, cells) in symbols(self.row(y)) {
            if used + cells > columns && used > 0 {
                row += 1;
                used = 0;
            }
            at += cells;
            used += cells;
            if at > column {
                break;
            }
        }
        row
    }
}

/// The cells of a row, up to the last visible one.
pub(super) fn used(buffer: &Buffer, y: u16) -> &[Cell] {
    let columns = usize::from(buffer.area().width);
    let start = usize::from(y) * columns;
    let cells = buffer.content().get(start..start + columns).unwrap_or_default();
    let blank = Cell::default();
    let end = |last: usize| last + usize::from(width(cells[last].symbol())).max(1);
    let length = cells.iter().rposition(|cell| *cell != blank).map_or(0, end);
    &cells[..length.min(columns)]
}

/// The cells that begin a symbol, each with its width, without the further cells of wide symbols.
pub(super) fn symbols(cells: &[Cell]) -> impl Iterator<Item = (&Cell, u16)> {
    let mut rest = cells;
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let width = width(first.symbol()).max(1);
        rest = rest.get(usize::from(width)..).unwrap_or_default();
        Some((first, width))
    })
}

/// The width of a symbol in cells.
pub(super) fn width(symbol: &str) -> u16 {
    u16::try_from(symbol.width()).unwrap_or(u16::MAX)
}

/// The rows of a line in a terminal of `columns`.
pub(crate) fn wrapped(line: &Line<'_>, columns: u16) -> Vec<Line<'static>> {
    let mut rows = Vec::new();
    cut(line, usize::from(columns.max(1)), &mut rows);
    let span = |(text, style): (String, Style)| Span::styled(text, style);
    rows.into_iter().map(|row| row.into_iter().map(span).collect()).collect()
}

/// Adds the rows of a line. An empty line gives an empty row.
fn cut(line: &Line<'_>, columns: usize, rows: &mut Vec<Vec<(String, Style)>>) {
    let mut row: Vec<(String, Style)> = Vec::new();
    let mut used = 0;
    for span in &line.spans {
        let style = line.style.patch(span.style);
        for symbol in shown(&span.content).graphemes(true) {
            if symbol == "\t" {
                let stop = TAB - used % TAB;
                let spaces = stop.min(columns.saturating_sub(used));
                row.extend(std::iter::repeat_n((" ".to_owned(), style), spaces));
                used += spaces;
                continue;
            }
            // Combining marks may add up to more than a row.
            let cells = usize::from(width(symbol)).min(columns);
            if cells == 0 {
                // A combining mark belongs to the symbol before it, even in another span.
                if let Some((before, _)) = row.last_mut() {
                    before.push_str(symbol);
                }
                continue;
            }
            if used + cells > columns && used > 0 {
                rows.push(std::mem::take(&mut row));
                used = 0;
            }
            used += cells;
            row.push((symbol.to_owned(), style));
        }
    }
    rows.push(row);
}
