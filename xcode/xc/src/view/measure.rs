//! Widths in cells, by graphemes: cutting and wrapping. Absent: styles.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// Stands for what was cut off.
const CUT: &str = "…";

/// The cells that a text on one line takes.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// The text, or its beginning with `…` where it takes more than `columns`.
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

/// The end of the text with `…` before it, where it takes more than `columns`.
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

/// The longest beginning that takes at most `columns`.
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

/// One line as rows of at most `columns`; broken behind a space where there is one in the row's second half.
pub(super) fn wrap(line: &str, columns: usize) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = line;
    while width(rest) > columns {
        let mut row = head(rest, columns);
        if row.is_empty() {
            // Narrower than one symbol.
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
