//! A name and a value as two fields of one entry: `key="DbPassword" value="..."`, `- name: TOKEN` and
//! `value: ...` on two lines, in either order; a variable and its default; a part of a form.

use std::ops::Range;

use super::block;
use super::text::{byte, goes_on, skip_blanks};
use super::value::{self, Reach, Value};

/// How far a value may stand from its name, in bytes.
const GAP_MAX: usize = 120;

/// How many lines below its name a value is looked for.
const NESTED_MAX: usize = 6;

/// How far behind its name an entry's value may stand, in bytes.
const ENTRY_MAX: usize = 200;

/// Fields that hold the name of an entry.
const NAMES: &[&str] = &["name", "key", "id", "field", "type"];

/// The value behind a name that ends at `at`.
pub(super) fn behind(text: &str, at: usize) -> Option<Value> {
    let after = value::skip_quote(text, at);
    let gap = text.as_bytes()[at..].iter().take(GAP_MAX);
    let blank =
        |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'' | b'\\');
    let word = at + gap.take_while(|byte| blank(byte)).count();
    if word == at {
        return None;
    }
    if goes_on(text, word, "value") {
        return field(text, word, "value".len());
    }
    if byte(text, word) == b'{' {
        let end = text.floor_char_boundary(word + GAP_MAX);
        let inside = &text[word..end];
        let default = inside[..inside.find('}').unwrap_or(inside.len())].find("default")?;
        return field(text, word + default, "default".len());
    }
    // Content-Disposition: form-data; name="password", and the part below an empty line.
    let quoted = after > at || text[..at].ends_with(['"', '\'']);
    let part =
        text[after..].strip_prefix("\n\n").or_else(|| text[after..].strip_prefix("\r\n\r\n"));
    part.filter(|_| quoted).map(|part| value::bare(text, text.len() - part.len(), Reach::Blank))
}

/// The value of an entry whose name ends at `at`, on one of the lines below: `password:` and
/// `default: x`, `output "token" {` and `value = "x"`.
pub(super) fn nested(text: &str, at: usize) -> Option<Value> {
    let end = super::text::line_end(text, at, GAP_MAX);
    let opening = text[at..end].split(" #").next()?.trim_end();
    let opens =
        opening.chars().all(|char| matches!(char, '"' | '\'' | ']' | ':' | '=' | '{' | ' '));
    if !opens || !opening.contains([':', '{', ']']) || byte(text, end) != b'\n' {
        return None;
    }
    let mut line = end + 1;
    for _ in 0..NESTED_MAX {
        let end = super::text::line_end(text, line, GAP_MAX);
        let start = value::skip_quote(text, skip_blanks(text, line));
        let named = ["value", "default", "result"].iter().find(|it| goes_on(text, start, it));
        if let Some(value) = named.and_then(|named| field(text, start, named.len())) {
            return Some(value);
        }
        let is_entry = text[line..end]
            .trim_start()
            .starts_with(|char: char| char.is_ascii_alphabetic() || char == '"');
        if !is_entry || byte(text, end) != b'\n' {
            return None;
        }
        line = end + 1;
    }
    None
}

/// The value of the entry that `name` names, behind other fields: `"key": "token", "locked": true,
/// "value": "x"`, `--name db-password --value x`.
pub(super) fn of_entry(text: &str, name: &Range<usize>) -> Option<Value> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(GAP_MAX));
    let lead = text[from..name.start]
        .trim_end_matches(|char: char| char.is_ascii_alphanumeric() || "/._-".contains(char));
    let quotes = ['"', '\'', '\\', ' '];
    let option = lead.ends_with(' ') && lead.trim_end().ends_with("--name");
    let sign = lead
        .trim_end_matches(quotes)
        .strip_suffix(['=', ':'])
        .map(|it| it.trim_end_matches(quotes));
    let is_field = sign.is_some_and(|sign| {
        NAMES.iter().any(|field| {
            sign.len().checked_sub(field.len()).is_some_and(|at| goes_on(sign, at, field))
        })
    });
    if !option && !is_field {
        return None;
    }
    let limit = text.floor_char_boundary(name.end + ENTRY_MAX);
    let entry = &text[name.end..limit];
    let entry = ["}", "\n\n", "\n-", "{"]
        .iter()
        .fold(entry, |entry, stop| entry.split(stop).next().unwrap_or(entry));
    let lower = entry.to_ascii_lowercase();
    let fields: &[&str] =
        if option { &["--value", "--secret-string"] } else { &["value", "data", "content"] };
    fields.iter().find_map(|word| {
        let at = name.end + lower.find(word)?;
        if option {
            let start = skip_blanks(text, at + word.len());
            return value::quoted(text, start)
                .or_else(|| Some(value::bare(text, start, Reach::Blank)));
        }
        field(text, at, word.len())
    })
}

/// The value before a name that is a field of its own: `value="..." key="DbPassword"`.
pub(super) fn before(text: &str, name: &Range<usize>) -> Option<Value> {
    let from = text.ceil_char_boundary(name.start.saturating_sub(GAP_MAX));
    let quotes = ['"', '\'', '\\', ' '];
    let sign = text[from..name.start].trim_end_matches(quotes).strip_suffix(['=', ':'])?;
    let sign = sign.trim_end_matches(quotes);
    let found = NAMES.iter().find(|field| {
        let at = sign.len().checked_sub(field.len());
        at.is_some_and(|at| goes_on(sign, at, field))
    })?;
    let lead = &sign[..sign.len() - found.len()];
    let word = from + lead.to_ascii_lowercase().rfind("value")?;
    let value = field(text, word, "value".len())?;
    let between = text.get(value.after(text)..from + lead.len())?;
    between.chars().all(is_between_fields).then_some(value)
}

/// Where a field with a value stands near the end of `text`, whose name may follow.
pub(crate) fn open_value(text: &str) -> Option<usize> {
    let from = text.ceil_char_boundary(text.len().saturating_sub(GAP_MAX));
    let word = from + text[from..].to_ascii_lowercase().rfind("value")?;
    let value = field(text, word, "value".len())?;
    let rest = text.get(value.after(text)..)?;
    rest.chars().all(is_between_fields).then_some(word)
}

/// Stands between a value and the name that follows it.
fn is_between_fields(char: char) -> bool {
    char.is_whitespace() || matches!(char, ',' | '"' | '\'' | '\\' | '-')
}

/// The value of the field whose name stands at `at`.
fn field(text: &str, at: usize, length: usize) -> Option<Value> {
    let sign = skip_blanks(text, value::skip_quote(text, at + length));
    if !matches!(byte(text, sign), b'=' | b':') {
        return None;
    }
    if let Some((_, value)) = block::value(text, at, sign + 1) {
        return Some(value);
    }
    let at = skip_blanks(text, sign + 1);
    value::quoted(text, at).or_else(|| Some(value::bare(text, at, Reach::Blank)))
}
