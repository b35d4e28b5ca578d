//! Values on the lines below their name: YAML's block scalars, and a value that begins on the next
//! line.

use super::assignment::begins_line_at;
use super::value::{self, Reach, Value};
use super::{byte, line_end, said, skip_blanks};

/// How far below its name a value may begin, in bytes.
const GAP_MAX: usize = 256;

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
    let sign = skip_blanks(text, at);
    let indicator = text.as_bytes()[sign..]
        .iter()
        .take(4)
        .take_while(|byte| matches!(byte, b'|' | b'>' | b'-' | b'+' | b'0'..=b'9'))
        .count();
    let announced = match byte(text, sign) {
        b'|' | b'>' if indicator > 0 => Announced::Block,
        b'\n' => Announced::LineEnd,
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
    (alone && !is_key).then_some((announced, found))
}
