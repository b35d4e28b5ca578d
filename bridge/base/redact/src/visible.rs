//! The one door to a terminal, and into JSON that a client prints: what a terminal would act on, or
//! a reader would not see, is written out.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::iter::Peekable;
use std::str::CharIndices;

use crate::clean::is_unseen;

/// The text with each control character and each invisible one written as `\u{1b}`.
///
/// Kept are `\n` and `\t`. Nothing is left out, so that a name that was meant to deceive can be
/// recognised. Plain text is borrowed.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut output = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        if is_hidden(char) {
            write_out(char, "\\", &mut output);
        } else {
            output.push(char);
        }
    }
    Cow::Owned(output)
}

fn is_hidden(char: char) -> bool {
    !matches!(char, '\n' | '\t') && (char.is_control() || is_unseen(char))
}

fn write_out(char: char, backslash: &str, output: &mut String) {
    // A string has room for everything.
    let _ = write!(output, "{backslash}u{{{:x}}}", u32::from(char));
}

/// [`visible`] for JSON that is already text: what a reader of its strings would get is made
/// visible, whether it stands in the text as itself or as an escape. The JSON stays valid.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let plain = |byte: u8| matches!(byte, b'\n' | b'\t' | b' '..=b'~');
    if json.bytes().all(plain) && !json.contains('\\') {
        return Cow::Borrowed(json);
    }
    let mut output = String::with_capacity(json.len() + 16);
    let mut chars = json.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if char != '\\' {
            if is_hidden(char) && char != '\r' {
                write_out(char, "\\\\", &mut output);
            } else {
                output.push(char);
            }
            continue;
        }
        let (decoded, end) = escaped(json, &mut chars);
        match decoded {
            Some(hidden) if is_hidden(hidden) => write_out(hidden, "\\\\", &mut output),
            _ => output.push_str(&json[at..end]),
        }
    }
    if output == json { Cow::Borrowed(json) } else { Cow::Owned(output) }
}

/// What the escape behind a backslash stands for, and its end; its characters are taken.
fn escaped(json: &str, chars: &mut Peekable<CharIndices<'_>>) -> (Option<char>, usize) {
    let Some((next, char)) = chars.next() else { return (None, json.len()) };
    match char {
        'r' => return (Some('\r'), next + 1),
        'b' => return (Some('\u{8}'), next + 1),
        'f' => return (Some('\u{c}'), next + 1),
        'u' => {}
        char => return (None, next + char.len_utf8()),
    }
    let unit = |from: usize| u16::from_str_radix(json.get(from..from + 4)?, 16).ok();
    let Some(first) = unit(next + 1) else { return (None, next + 1) };
    let second =
        json.get(next + 5..next + 7).filter(|it| *it == "\\u").and_then(|_| unit(next + 7));
    let pair = (0xd800..0xdc00).contains(&first) && second.is_some();
    let units = [first, second.unwrap_or_default()];
    let units = if pair { &units[..] } else { &units[..1] };
    let length = if pair { 10 } else { 4 };
    for _ in 0..length {
        chars.next();
    }
    (char::decode_utf16(units.iter().copied()).next().and_then(Result::ok), next + 1 + length)
}

/// Passes on what is written to it as [`visible`] text. Characters that are cut by a write are put
/// together again; bytes that are no text become `\u{fffd}`.
#[derive(Debug)]
pub struct VisibleWriter<W: Write> {
    inner: W,
    /// The beginning of a character whose rest is to come.
    pending: Vec<u8>,
}

impl<W: Write> VisibleWriter<W> {
    /// A door in front of `inner`.
    pub const fn new(inner: W) -> Self {
        Self { inner, pending: Vec::new() }
    }
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.pending) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.pending.len(),
        };
        let text = String::from_utf8_lossy(&self.pending[..whole]);
        self.inner.write_all(visible(&text).as_bytes())?;
        self.pending.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// [`visible`], on one line: a name, a path, a key.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    match visible(text) {
        Cow::Borrowed(text) if !text.contains(['\n', '\t']) => Cow::Borrowed(text),
        text => Cow::Owned(text.replace('\n', "\\n").replace('\t', "\\t")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{VisibleWriter, visible, visible_json, visible_line};

    #[test]
    fn json_stays_json_and_its_strings_are_visible() {
        for (json, expected) in [
            ("{\"a\": \"b\\n\\t\\\\u001b\"}", "{\"a\": \"b\\n\\t\\\\u001b\"}"),
            ("\"\\u001b[31m\\r\"", "\"\\\\u{1b}[31m\\\\u{d}\""),
            ("\"\u{202e}\u{9b}\"", "\"\\\\u{202e}\\\\u{9b}\""),
            ("\"\\udb40\\udc41x\\u00e9\"", "\"\\\\u{e0041}x\\u00e9\""),
            ("\"\\u12\"", "\"\\u12\""),
        ] {
            assert_eq!(visible_json(json), expected);
        }
    }

    #[test]
    fn a_writer_puts_cut_characters_together() {
        let mut writer = VisibleWriter::new(Vec::new());
        for byte in "ä\u{1b}[0m日\u{202e}".as_bytes() {
            writer.write_all(&[*byte]).expect("memory");
        }
        assert_eq!(writer.inner, "ä\\u{1b}[0m日\\u{202e}".as_bytes());
    }

    #[test]
    fn what_a_terminal_would_act_on_is_written_out() {
        for (text, expected) in [
            ("plain ünïcode 日本\n\tx", "plain ünïcode 日本\n\tx"),
            ("\u{1b}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
            ("a\rb\u{9b}31m", "a\\u{d}b\\u{9b}31m"),
            ("a\u{202e}b\u{200b}c\u{feff}", "a\\u{202e}b\\u{200b}c\\u{feff}"),
            ("\u{e0041}\u{2028}\u{7f}", "\\u{e0041}\\u{2028}\\u{7f}"),
        ] {
            assert_eq!(visible(text), expected);
        }
        assert_eq!(visible_line("a\nb\tc"), "a\\nb\\tc");
    }
}
