//! Several values behind one name: `passwords: [a, b]`, `tokens = ("a", "b")`, and items with dashes.

use std::ops::Range;

use super::text::{byte, goes_on, line_end, skip_blanks};
use super::value::{self, Reach, Value};

/// The most values that are read.
const ITEMS_MAX: usize = 32;

/// How far behind its name a list is read, in bytes.
const REACH: usize = 2048;

/// Calls that join texts to one.
const JOINERS: &[&str] =
    &["concat!(", "concat(", "paste0(", "string.concat(", "strcat(", "\"\".join(", "''.join("];

/// The values of the list behind the sign that ends at `at`.
pub(super) fn values(text: &str, at: usize, plural: bool) -> Vec<Value> {
    let limit = text.floor_char_boundary(at + REACH);
    let mut start = skip_blanks(text, at);
    for opening in ["new string[]", "[]string", "vec!", "&", "["] {
        if opening != "[" && goes_on(text, start, opening) {
            start = skip_blanks(text, start + opening.len());
        }
    }
    if let Some(call) = JOINERS.iter().find(|call| goes_on(text, start, call)) {
        start += call.len() - 1;
    }
    match byte(text, start) {
        b'[' | b'(' | b'{' => items(text, start + 1..limit),
        b'\n' => dashed(text, start + 1..limit),
        b'-' if plural && byte(text, start + 1) == b' ' => dashed(text, start..limit),
        _ if plural && !text[start..line_end(text, start, REACH)].contains('(') => {
            commas(text, start..line_end(text, start, REACH))
        }
        _ => Vec::new(),
    }
}

/// Up to the closing bracket; a map's keys are passed over.
fn items(text: &str, range: Range<usize>) -> Vec<Value> {
    let mut values = Vec::new();
    let mut at = range.start;
    while at < range.end && values.len() < ITEMS_MAX {
        match byte(text, at) {
            b']' | b')' | b'}' | 0 => break,
            b' ' | b'\t' | b'\n' | b',' | b';' | b'[' | b'(' | b'{' => at += 1,
            _ => {
                let Some(item) = item(text, at) else { break };
                let end = item.after(text);
                let next = skip_blanks(text, end);
                at = if byte(text, next) == b':' && item.quoted {
                    next + 1
                } else {
                    end.max(at + 1)
                };
                if byte(text, next) != b':' {
                    values.push(item);
                }
            }
        }
        at = text.ceil_char_boundary(at);
    }
    values
}

/// One item, without the `name:` in front of a bare one.
fn item(text: &str, at: usize) -> Option<Value> {
    if let Some(value) = value::quoted(text, at) {
        return Some(value);
    }
    let name = text.as_bytes()[at..].iter().take(40);
    let name = name.take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let end = at + name.count();
    if end > at && byte(text, end) == b':' && byte(text, end + 1) == b' ' {
        let start = skip_blanks(text, end + 1);
        return value::quoted(text, start)
            .or_else(|| Some(value::bare(text, start, Reach::Delimiter)));
    }
    Some(value::bare(text, at, Reach::Delimiter)).filter(|value| !value.range.is_empty())
}

/// Lines that begin with a dash.
fn dashed(text: &str, range: Range<usize>) -> Vec<Value> {
    let mut values = Vec::new();
    let mut line = range.start;
    while line < range.end && values.len() < ITEMS_MAX {
        let dash = skip_blanks(text, line);
        if byte(text, dash) != b'-' || byte(text, dash + 1) != b' ' {
            break;
        }
        let mut start = skip_blanks(text, dash + 1);
        while text[start..].starts_with("- ") {
            start = skip_blanks(text, start + 1);
        }
        let end = line_end(text, start, 512);
        if let Some(item) = item(text, start) {
            let after = item.after(text);
            if text.get(after..end).is_some_and(|rest| rest.trim().is_empty()) {
                values.push(item);
            }
        }
        line = end + 1;
    }
    values
}

/// `NAMES=a,b`, `names: a, b`: two or more words on the rest of the line, with commas between.
fn commas(text: &str, range: Range<usize>) -> Vec<Value> {
    let line = text[range.clone()].trim_end();
    let words = line.split(',').map(str::trim_start);
    if !line.contains(',') || words.clone().any(|word| word.contains(char::is_whitespace)) {
        return Vec::new();
    }
    let mut at = range.start;
    let mut values = Vec::new();
    for piece in line.split(',').take(ITEMS_MAX) {
        let end = at + piece.len();
        values.push(Value { range: end - piece.trim_start().len()..end, quoted: false });
        at = end + 1;
    }
    values
}
