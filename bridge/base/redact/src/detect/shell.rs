//! Secrets that a shell hands to a program's standard input: `echo ... | docker login`, `<<< ...`.

use std::ops::Range;

use super::text::{Span, line_end, skip_blanks};
use super::{judge, value};
use crate::shape;

/// Programs and options that read a secret from standard input.
pub(super) const PIPED: &[&str] = &[
    "--password-stdin",
    "--with-token",
    "sudo -s",
    "chpasswd",
    "--stdin",
    "--passphrase-fd 0",
    "docker secret create",
    "cryptsetup",
];
pub(super) const HERE_STRING: &[&str] = &["<<<"];

/// How much of a command line is read, in bytes.
const LINE_MAX: usize = 512;

/// What a command line with a secret in a here-string speaks of.
const ABOUT: &[&str] = &[
    "passw",
    "passphrase",
    "token",
    "secret",
    "login",
    "vncpasswd",
    "su -",
    "sudo -s",
    "read -s",
    "read -rs",
    "kinit",
    "pass stdin",
];

/// The text that is echoed into a program.
pub(super) fn read_piped(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let from = text.ceil_char_boundary(at.start.saturating_sub(LINE_MAX));
    let line = text[from..at.start].rfind('\n').map_or(from, |index| from + index + 1);
    let Some(pipe) = text[line..at.start].find('|').map(|index| line + index) else { return };
    let Some(echo) = ["echo", "printf"].iter().find_map(|word| text[line..pipe].find(word)) else {
        return;
    };
    let words = text[line + echo..pipe].trim_end();
    let end = line + echo + words.len();
    let closed = words.ends_with(['"', '\'']);
    let start = if closed {
        let quote = &words[words.len() - 1..];
        words[..words.len() - 1].rfind(quote).map(|index| line + echo + index + 1)
    } else {
        words.rfind([' ', '\t']).map(|index| line + echo + index + 1)
    };
    let Some(start) = start else { return };
    let mut range = start..end - usize::from(closed);
    // `root:secret` for chpasswd.
    if text[at].eq_ignore_ascii_case("chpasswd")
        && let Some(colon) = text[range.clone()].find(':')
    {
        range.start += colon + 1;
    }
    push(text, range, found);
}

/// The word behind `<<<` on a line that speaks of a secret.
pub(super) fn read_here_string(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let from = text.ceil_char_boundary(at.start.saturating_sub(LINE_MAX));
    let line = text[from..at.start].rfind('\n').map_or(from, |index| from + index + 1);
    let before = text[line..at.start].to_lowercase();
    if !ABOUT.iter().any(|word| before.contains(word)) {
        return;
    }
    let start = skip_blanks(text, at.end);
    let end = line_end(text, start, LINE_MAX);
    let range = value::quoted(text, start).map_or_else(
        || {
            let stop = |char: char| char.is_whitespace() || matches!(char, '|' | ';' | ')' | '&');
            start..text[start..end].find(stop).map_or(end, |length| start + length)
        },
        |value| value.range,
    );
    push(text, range, found);
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Span>) {
    let word = &text[range.clone()];
    let plain = word.len() >= 4 && !word.contains([' ', '$', '(']) && !judge::is_template(word);
    if plain && !shape::is_placeholder(word) {
        found.push(Span { range, kind: "password", named: false });
    }
}
