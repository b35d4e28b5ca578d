//! Values on the lines below their name: YAML's block scalars, and a value that begins on the next
//! line.

use super::place::begins_line_at;
use super::said;
use super::text::{byte, line_end, skip_blanks};
use super::value::{self, Reach, Value};

/// How far below its name a value may begin, in bytes.
const GAP_MAX: usize = 256;

/// The most lines of a block that are looked at.
const LINES_MAX: usize = 6;

/// How the value is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Announced {
    /// `|`, `>-`: what follows is text.
    Block,
    /// Nothing but the line's end: what follows may be a map.
    LineEnd,
}

/// The value below the name that begins at `name`, whose sign ends at `at`: one word, alone on its
/// line and further in than the name.
pub(super) fn value(text: &str, name: usize, at: usize) -> Option<(Announced, Value)> {
    let sign = skip_properties(text, skip_blanks(text, at));
    let indicator = text.as_bytes()[sign..]
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9'))
        .count();
    let announced = match byte(text, sign) {
        b'|' | b'>' if indicator > 0 => Announced::Block,
        b'\n' => Announced::LineEnd,
        b'#' if byte(text, sign + 1) == b' ' => Announced::LineEnd,
        _ => return None,
    };
    let end = line_end(text, sign, GAP_MAX);
    let rest = text[sign + if announced == Announced::Block { indicator } else { 0 }..end].trim();
    if !(rest.is_empty() || rest.starts_with('#')) || byte(text, end) != b'\n' {
        return None;
    }
    let indent = begins_line_at(text, name)?;
    let mut line = end + 1;
    while byte(text, line) == b'\n' && line < end + 4 {
        line += 1;
    }
    let start = skip_blanks(text, line);
    let found =
        value::quoted(text, start).unwrap_or_else(|| value::bare(text, start, Reach::Blank));
    // Below a heading rather than further in: only what is no word.
    let below = announced == Announced::LineEnd && said::is_plain(text, &found);
    if start - line <= indent && !(start - line == indent && below) {
        return None;
    }
    let after = found.after(text);
    let alone = text[after..line_end(text, after, 8)].trim().is_empty();
    let is_key = text[..found.range.end].ends_with(':') || byte(text, found.range.end) == b':';
    if announced == Announced::Block && !alone {
        return further(text, line, indent).map(|value| (announced, value));
    }
    (alone && !is_key).then(|| match announced {
        Announced::Block => (announced, whole(text, found)),
        Announced::LineEnd => (announced, found),
    })
}

/// The block's value with the drawn words on the next lines, which are parts of it.
fn whole(text: &str, mut value: Value) -> Value {
    for _ in 0..LINES_MAX {
        if value.quoted || byte(text, value.range.end) != b'\n' || !said::is_plain(text, &value) {
            break;
        }
        let line = value.range.end + 1;
        let start = skip_blanks(text, line);
        let Some(next) = alone(text, start).filter(|next| start > line && !next.quoted) else {
            break;
        };
        value.range.end = next.range.end;
    }
    value
}

/// An anchor or a tag of YAML before the value: `&name `, `!tag `.
fn skip_properties(text: &str, at: usize) -> usize {
    if !matches!(byte(text, at), b'&' | b'!') {
        return at;
    }
    let end = line_end(text, at, 64);
    let word = text[at..end].find(' ').map_or(end, |length| at + length);
    let next = skip_blanks(text, word);
    if matches!(byte(text, next), b'|' | b'>') { next } else { at }
}

/// The first of the block's lines that is one word, and no ordinary one.
fn further(text: &str, mut line: usize, indent: usize) -> Option<Value> {
    for _ in 0..LINES_MAX {
        let end = line_end(text, line, GAP_MAX);
        if byte(text, end) != b'\n' {
            return None;
        }
        line = end + 1;
        let start = skip_blanks(text, line);
        if start <= line + indent {
            return None;
        }
        let value = alone(text, start);
        if value.is_some() {
            return value;
        }
    }
    None
}

/// The word at `at`, where it is the only one of its line and looks drawn.
pub(super) fn alone(text: &str, at: usize) -> Option<Value> {
    let found = value::quoted(text, at).unwrap_or_else(|| value::bare(text, at, Reach::Blank));
    let after = found.after(text);
    let rest = &text[after..line_end(text, after, 8)];
    (rest.trim().is_empty() && said::is_plain(text, &found)).then_some(found)
}

/// The value below a heading or a point of a list: "API key", a line of dashes, the key. The name ends at
/// `at`, and so does its line.
pub(super) fn below(text: &str, name: usize, at: usize) -> Option<Value> {
    let from = text.ceil_char_boundary(name.saturating_sub(GAP_MAX));
    let line = text[from..name].rfind('\n').map_or(from, |index| from + index + 1);
    let marks = |char: char| matches!(char, ' ' | '\t' | '*' | '-' | '+' | '#' | '"' | '\'');
    if !text[line..name].chars().all(marks) {
        return None;
    }
    let mut at = text[at..].starts_with('\n').then_some(at + 1)?;
    let rule = &text[at..line_end(text, at, GAP_MAX)];
    if rule.len() >= 3 && (rule.bytes().all(|it| it == b'-') || rule.bytes().all(|it| it == b'=')) {
        at += rule.len() + usize::from(byte(text, at + rule.len()) == b'\n');
    }
    let mut start = skip_blanks(text, at);
    if matches!(byte(text, start), b'*' | b'-' | b'+') && byte(text, start + 1) == b' ' {
        start = skip_blanks(text, start + 1);
    }
    alone(text, start)
}

/// The line of a here-document that a name is given: `TOKEN=$(cat <<'X'`, `read -r TOKEN <<X`. The name ends
/// at `at`.
pub(super) fn here_document(text: &str, at: usize) -> Option<Value> {
    let end = line_end(text, at, GAP_MAX);
    let mark = text[at..end].find("<<").filter(|length| *length <= 24)?;
    let word = text[at + mark + 2..end].trim_start_matches(['-', ' ', '\'', '"', '\\']);
    let is_word = word.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    (is_word && byte(text, end) == b'\n').then(|| alone(text, skip_blanks(text, end + 1))).flatten()
}
