//! Renders a Markdown table with aligned columns. Not here: wrapping cells; a row is one logical line.

use ratatui_core::style::Stylize as _;
use ratatui_core::text::Span;

use super::super::measure;

type Cell = Vec<Span<'static>>;

/// The rows read so far, the header first.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
    /// The current row.
    row: Vec<Cell>,
}

impl Table {
    pub(super) fn cell(&mut self, cell: Cell) {
        self.row.push(cell);
    }

    pub(super) fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// One line per row, and a separator below the header.
    pub(super) fn lines(self) -> Vec<Vec<Span<'static>>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| self.rows.iter().filter_map(|row| row.get(column)).map(width).max())
            .map(Option::unwrap_or_default)
            .collect();
        let mut lines = Vec::new();
        for (place, row) in self.rows.into_iter().enumerate() {
            let mut line = Vec::new();
            let last = row.len().saturating_sub(1);
            for (column, cell) in row.into_iter().enumerate() {
                let gap = widths[column].saturating_sub(width(&cell));
                line.extend(
                    cell.into_iter().map(|span| if place == 0 { span.bold() } else { span }),
                );
                if column < last {
                    line.push(Span::from(" ".repeat(gap)));
                    line.push(" │ ".dim());
                }
            }
            lines.push(line);
            if place == 0 {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(vec![Span::from(rules.join("─┼─")).dim()]);
            }
        }
        lines
    }
}

fn width(cell: &Cell) -> usize {
    cell.iter().map(|span| measure::width(&span.content)).sum()
}
