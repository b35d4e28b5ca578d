//! Cuts and wraps text by its width in cells, by graphemes. Not here: styles.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Marks a cut.
const CUT: &str = "…";

/// The width of a text on one line, in cells.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text, or its beginning with `…` if it is wider than `columns`.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = head(text, columns.saturating_sub(1)).to_owned();
    if columns > 0 {
        kept.push_str(CUT);
    }
    kept
}

/// The text, or its end with `…` before it if it is wider than `columns`.
pub(super) fn cut_start(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut start = text.len();
    let mut used = 1;
    for (at, symbol) in text.grapheme_indices(true).rev() {
        used += width(symbol);
        if used > columns {
            break;
        }
        start = at;
    }
    if columns > 0 { format!("{CUT}{}", &text[start..]) } else { String::new() }
}

/// The longest prefix that is at most `columns` wide.
pub(super) fn head(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, symbol) in text.grapheme_indices(true) {
        used += width(symbol);
        if used > columns {
            return &text[..at];
        }
    }
    text
}

/// Wraps a line into rows of at most `columns`; breaks after a space if there is one in the row's second half.
pub(super) fn wrap(line: &str, columns: usize) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = line;
    while width(rest) > columns {
        let mut row = head(rest, columns);
        if row.is_empty() {
            // The row is narrower than one symbol.
            row = rest.graphemes(true).next().unwrap_or(rest);
        }
        if let Some(space) = row.rfind(' ')
            && space >= row.len() / 2
        {
            row = &row[..=space];
        }
        rows.push(row.trim_end());
        rest = &rest[row.len()..];
    }
    rows.push(rest);
    rows
}
