//! Secrets in tables: the cell below a heading such as `password`, or the cell beside one.

use std::ops::Range;

use super::judge::Join;
use super::said;
use super::text::{byte, line_end};
use super::value::Value;

/// The longest line of a table, in bytes.
const LINE_MAX: usize = 256;

/// How much of a cell may stand before the name in it, in bytes.
const WORDS_MAX: usize = 40;

/// How far below a heading rows are read, in bytes.
const ROWS_MAX: usize = 1024;

/// What separates cells, in the order in which it is tried.
const SEPARATORS: [char; 6] = ['|', '│', '║', '\t', ';', ','];

/// Names of columns that say that a table is about accounts.
const COMPANIONS: &[&str] = &[
    "user", "login", "name", "account", "host", "email", "e-mail", "url", "benutzer", "用户",
    "账号", "server",
];

/// The values that a table has for the name at `name`.
pub(super) fn values(text: &str, name: &Range<usize>) -> Vec<(Join, Value)> {
    if !is_cell(text, name) {
        return Vec::new();
    }
    let from = text.ceil_char_boundary(name.start.saturating_sub(LINE_MAX));
    let start = text[from..name.start].rfind('\n').map_or(from, |index| from + index + 1);
    let end = line_end(text, name.end, LINE_MAX);
    let line = &text[start..end];
    let at = name.start - start..name.end - start;
    let column = |separator: &char| Some((*separator, column_of(line, *separator, &at)?));
    let Some((separator, column)) = SEPARATORS.iter().find_map(column) else { return Vec::new() };
    let cells = line.matches(separator).count();
    let below = text[end..].strip_prefix('\n').unwrap_or("");
    let ruled = is_rule(&below[..line_end(below, 0, LINE_MAX)]);
    let lower = line.to_lowercase();
    let drawn = matches!(separator, '|' | '│' | '║');
    let headed =
        ruled || !line.starts_with(separator) && COMPANIONS.iter().any(|it| lower.contains(it));
    // A list of names and values: `password,VALUE`, alone on its line.
    if matches!(separator, ',' | ';') && cells == 1 && column == 0 {
        let beside = cell(line, start, separator, 1).filter(|value| said::is_plain(text, value));
        if beside.is_some() {
            return beside.map(|value| (Join::Prose, value)).into_iter().collect();
        }
    }
    if drawn && !headed || separator == '\t' && cells == 1 && column == 0 {
        return beside(line, start, separator, column);
    }
    if !is_first(text, start, separator, cells) || !COMPANIONS.iter().any(|it| lower.contains(it)) {
        return Vec::new();
    }
    let mut values = Vec::new();
    let mut above = end;
    // A line that is longer than a table's has no row below it.
    while above < end + ROWS_MAX && byte(text, above) == b'\n' {
        let row = above + 1;
        let line = &text[row..line_end(text, row, LINE_MAX)];
        if !is_rule(line) {
            if line.matches(separator).count() != cells {
                break;
            }
            let value = cell(line, row, separator, column);
            values.extend(value.map(|value| (Join::Setting, value)));
        }
        above = row + line.len();
    }
    values
}

/// The name with the words before it in its cell: `| vendor token |`.
pub(super) fn cell_of(text: &str, name: &Range<usize>) -> Range<usize> {
    let bytes = &text.as_bytes()[..name.start];
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b' ';
    let words = bytes.iter().rev().take(WORDS_MAX).take_while(|byte| part(byte)).count();
    let start = name.start - words;
    if words < 3 || !text[..start].ends_with('|') {
        return name.clone();
    }
    let blanks = text[start..name.start].len() - text[start..name.start].trim_start().len();
    start + blanks..name.end
}

/// Nothing but marks stands between the name and a separator or the line's end, on both sides.
fn is_cell(text: &str, name: &Range<usize>) -> bool {
    let mark = |byte: &&u8| matches!(byte, b' ' | b'*' | b'`' | b'"' | b'\'' | b'\t');
    // The first and the last byte of the lines that draw a table count as its sign.
    let ends = |byte: Option<&u8>| {
        byte.is_none_or(|byte| matches!(byte, b'|' | b';' | b',' | b'\n' | 0xe2 | 0x82 | 0x91))
    };
    let bytes = text.as_bytes();
    let tab = |side: &[u8]| side.contains(&b'\t');
    let before = &bytes[name.start.saturating_sub(32)..name.start];
    let after = &bytes[name.end..bytes.len().min(name.end + 32)];
    let lead = before.iter().rev().take_while(mark).count();
    let tail = after.iter().take_while(mark).count();
    let separated = tab(&before[before.len() - lead..]) || tab(&after[..tail]);
    let one = |side: Option<&u8>| {
        side.is_some_and(|byte| matches!(byte, b'|' | b';' | b',' | 0xe2 | 0x82 | 0x91))
    };
    let (left, right) = (before.iter().rev().nth(lead), after.get(tail));
    (ends(left) || tab(&before[before.len() - lead..]))
        && (ends(right) || tab(&after[..tail]))
        && (separated || one(left) || one(right))
}

/// The line at `start` is the first of its table.
fn is_first(text: &str, start: usize, separator: char, cells: usize) -> bool {
    let Some(before) = text[..start].strip_suffix('\n') else { return start == 0 };
    let from = before.ceil_char_boundary(before.len().saturating_sub(LINE_MAX));
    let above = before[from..].rsplit('\n').next().unwrap_or("");
    above.matches(separator).count() != cells || is_rule(above)
}

/// The cell after a name that stands in a row of its own.
fn beside(line: &str, start: usize, separator: char, column: usize) -> Vec<(Join, Value)> {
    let filled = line.split(separator).filter(|cell| !cell.trim().is_empty()).count();
    let value = (filled == 2).then(|| cell(line, start, separator, column + 1)).flatten();
    value.map(|value| (Join::Code, value)).into_iter().collect()
}

/// The column whose cell is the name and nothing else.
fn column_of(line: &str, separator: char, name: &Range<usize>) -> Option<usize> {
    let column = line.get(..name.start)?.matches(separator).count();
    (line.contains(separator)).then_some(())?;
    let from = line[..name.start].rfind(separator).map_or(0, |index| index + separator.len_utf8());
    let to = line[name.end..].find(separator).map_or(line.len(), |index| name.end + index);
    let rest = [line.get(from..name.start)?, line.get(name.end..to)?];
    let marks =
        |part: &str| part.chars().all(|char| matches!(char, ' ' | '*' | '`' | '"' | '\'' | '\t'));
    rest.iter().all(|part| marks(part)).then_some(column)
}

fn cell(line: &str, start: usize, separator: char, column: usize) -> Option<Value> {
    let mut at = 0;
    for (index, piece) in line.split(separator).enumerate() {
        if index == column {
            let marks = |char: char| matches!(char, ' ' | '`' | '"' | '\'' | '\t' | '*');
            let lead = piece.len() - piece.trim_start_matches(marks).len();
            let content = piece.trim_matches(marks);
            let range = start + at + lead..start + at + lead + content.len();
            return (!content.is_empty()).then_some(Value { range, quoted: false });
        }
        at += piece.len() + separator.len_utf8();
    }
    None
}

/// `|---|:--|`, `+-----+`, `------+----`
fn is_rule(line: &str) -> bool {
    line.contains("--") && line.chars().all(|char| matches!(char, '|' | '-' | ':' | '+' | ' '))
}
