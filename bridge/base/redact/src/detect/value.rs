//! Reading a value: quoted, with any number of escaping backslashes, or bare.

use std::ops::Range;

use super::text::byte;

/// The longest value that is read, in bytes.
const VALUE_MAX: usize = 4096;

/// A value in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) quoted: bool,
}

impl Value {
    /// Where the text goes on behind the value and the quote that closes it, if one does.
    pub(super) fn after(&self, text: &str) -> usize {
        let closing = text[self.range.end..].chars().next().filter(|_| self.quoted);
        self.range.end + closing.map_or(0, char::len_utf8)
    }
}

/// An opening quote at `at`: its length with the backslashes before it, and how it closes.
#[derive(Debug, Clone, Copy)]
struct Quote {
    backslashes: usize,
    mark: char,
    length: usize,
}

impl Quote {
    fn at(text: &str, at: usize) -> Option<Self> {
        let backslashes =
            text.as_bytes()[at..].iter().take(16).take_while(|byte| **byte == b'\\').count();
        let mark = text[at + backslashes..].chars().next()?;
        matches!(mark, '"' | '\'' | '`' | '「' | '『' | '“' | '‘' | '【' | '«' | '‹' | '《')
            .then(|| Self { backslashes, mark, length: backslashes + mark.len_utf8() })
    }

    fn closing(self) -> char {
        match self.mark {
            '「' => '」',
            '『' => '』',
            '“' => '”',
            '‘' => '’',
            '【' => '】',
            '«' => '»',
            '‹' => '›',
            '《' => '》',
            mark => mark,
        }
    }

    /// Where the value ends that begins at `from`: before the closing quote, the end of the line or
    /// the limit.
    fn end(self, text: &str, from: usize) -> usize {
        let limit = text.floor_char_boundary(from + VALUE_MAX);
        let mut backslashes = 0;
        for (offset, char) in text[from..limit].char_indices() {
            match char {
                '\\' => backslashes += 1,
                '\n' => return from + offset,
                char if char == self.closing() && self.closes(backslashes) => {
                    return from + offset - backslashes.min(self.backslashes);
                }
                _ => backslashes = 0,
            }
        }
        limit
    }

    /// A quote behind this many backslashes closes: as many as opened it, or fewer (the text around
    /// it ended). Unescaped, an even number is an escaped backslash and not an escaped quote.
    fn closes(self, backslashes: usize) -> bool {
        if self.backslashes == 0 {
            backslashes.is_multiple_of(2)
        } else {
            backslashes <= self.backslashes
        }
    }
}

/// A quoted value that opens at `at`.
pub(super) fn quoted(text: &str, at: usize) -> Option<Value> {
    let quote = Quote::at(text, at)?;
    let mut from = at + quote.length;
    // Python's and others' triple quotes.
    let triple = [quote.mark, quote.mark].iter().collect::<String>();
    if quote.backslashes == 0 && text[from..].starts_with(&triple) {
        from += triple.len();
        if byte(text, from) == b'\n' {
            from = super::text::skip_blanks(text, from + 1);
        }
    }
    Some(Value { range: from..quote.end(text, from), quoted: true })
}

/// True if a quote opens at `at`.
pub(super) fn opens_quote(text: &str, at: usize) -> bool {
    Quote::at(text, at).is_some()
}

/// `at` moved past one quote, with its backslashes, if one stands there.
pub(super) fn skip_quote(text: &str, at: usize) -> usize {
    Quote::at(text, at).map_or(at, |quote| at + quote.length)
}

/// How far a bare value reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// To the first character that ends a value in code, a URL or a connection string.
    Delimiter,
    /// To the first blank or quote: a line of a settings file.
    Blank,
}

/// A bare value that begins at `at`.
pub(super) fn bare(text: &str, at: usize, reach: Reach) -> Value {
    let limit = text.floor_char_boundary(at + VALUE_MAX);
    let mut end = limit;
    // Most values are plain ASCII: pass over what can end none of them.
    let plain = text.as_bytes()[at..limit]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-=/+:".contains(byte))
        .count();
    for (offset, char) in
        text[at + plain..limit].char_indices().map(|(offset, char)| (plain + offset, char))
    {
        let ends = match char {
            '"' | '`' | '<' | '>' | '\\' => true,
            '\'' => reach == Reach::Delimiter || offset == 0,
            ',' | ';' | ')' | '}' | ']' | '&' | '|' => reach == Reach::Delimiter,
            char if char.is_whitespace() => true,
            char => !char.is_ascii() && !char.is_alphanumeric() || is_ideograph(char),
        };
        if ends {
            end = at + offset;
            break;
        }
    }
    // The mark that ends a line of settings is a part of its value: people end passwords with one.
    let is_marked = reach == Reach::Blank
        && byte(text, end - usize::from(end > at)) == b'?'
        && matches!(byte(text, end), 0 | b'\n');
    while end > at && !is_marked && matches!(byte(text, end - 1), b',' | b';' | b'.' | b':' | b'?')
    {
        end -= 1;
    }
    // A bracket or exclamation mark is a part of a password unless it closes the clause around it.
    while end > at
        && matches!(byte(text, end - 1), b')' | b']' | b'}')
        && !text[at..end].contains(['(', '[', '{'])
    {
        end -= 1;
    }
    Value { range: at..end, quoted: false }
}

/// Chinese, Japanese and Korean letters: prose that goes on after a value.
fn is_ideograph(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}')
}
