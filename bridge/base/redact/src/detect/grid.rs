//! Secrets in tables without drawn lines: columns of HTML, and columns that blanks set apart.

use std::ops::Range;

use super::judge::Join;
use super::said;
use super::text::{byte, line_end};
use super::value::{self, Reach, Value};

/// How far below a heading rows are read, in bytes.
const ROWS_MAX: usize = 1024;

/// The longest line of such a table, in bytes.
const LINE_MAX: usize = 256;

/// The most rows that are read.
const LINES_MAX: usize = 16;

/// The values of the column that `name` heads.
pub(super) fn values(text: &str, name: &Range<usize>) -> Vec<(Join, Value)> {
    if text[..name.start].ends_with('>') && text[name.end..].starts_with("</") {
        return cells(text, name).into_iter().map(|value| (Join::Code, value)).collect();
    }
    columns(text, name).into_iter().map(|value| (Join::Setting, value)).collect()
}

/// `<th>Password</th>`: the cells of its column.
fn cells(text: &str, name: &Range<usize>) -> Vec<Value> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(ROWS_MAX));
    let lead = text[from..name.start].to_ascii_lowercase();
    let row = lead.rfind("<tr").map_or(0, |at| at + 3);
    if !lead[row..].contains("<th") {
        return Vec::new();
    }
    let column = lead[row..].matches("<th").count() - 1;
    let limit = text.floor_char_boundary(name.end + ROWS_MAX);
    let below = text[name.end..limit].to_ascii_lowercase();
    let mut values = Vec::new();
    for (at, _) in below.match_indices("<tr").take(LINES_MAX) {
        let end = below[at..].find("</tr").map_or(below.len(), |length| at + length);
        let Some((cell, _)) = below[at..end].match_indices("<td").nth(column) else { continue };
        let Some(open) = below[at + cell..end].find('>') else { continue };
        let start = name.end + at + cell + open + 1;
        let Some(length) = text[start..limit].find('<') else { continue };
        let content = text[start..start + length].trim();
        let lead =
            text[start..start + length].len() - text[start..start + length].trim_start().len();
        let range = start + lead..start + lead + content.len();
        values.extend((!content.is_empty()).then_some(Value { range, quoted: true }));
    }
    values
}

/// `NAME   TOKEN` above `ci     x7...`: the words that begin where the name does.
fn columns(text: &str, name: &Range<usize>) -> Vec<Value> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(LINE_MAX));
    let line = text[from..name.start].rfind('\n').map_or(from, |index| from + index + 1);
    let end = line_end(text, name.end, LINE_MAX);
    let (lead, rest) = (&text[line..name.start], &text[name.end..end]);
    let is_apart = lead.ends_with("  ") && !lead.trim().is_empty();
    if !is_apart || !(rest.trim().is_empty() || rest.starts_with("  ")) || !lead.is_ascii() {
        return Vec::new();
    }
    let column = name.start - line;
    let mut values = Vec::new();
    let mut above = end;
    for _ in 0..LINES_MAX {
        if byte(text, above) != b'\n' {
            break;
        }
        let row = above + 1;
        above = line_end(text, row, LINE_MAX);
        let cells = &text[row..above];
        if cells.starts_with(['-', '=']) {
            continue;
        }
        let starts = cells.is_char_boundary(column)
            && cells[..column.min(cells.len())].ends_with(' ')
            && cells.len() > column
            && !cells[column..].starts_with(' ');
        if !starts {
            break;
        }
        let value = value::bare(text, row + column, Reach::Blank);
        values.extend(said::is_plain(text, &value).then_some(value));
    }
    values
}
