//! HTTP headers: `Authorization`, `Bearer`, `Basic`, cookies.

use std::ops::Range;

use super::judge;
use super::text::{Span, byte, goes_on, line_end, skip_blanks};
use super::value::{self, Reach};
use crate::shape;

pub(super) const BEARER: &[&str] = &["bearer"];
pub(super) const BASIC: &[&str] = &["basic "];
pub(super) const AUTHORIZATION: &[&str] = &["authorization"];
pub(super) const COOKIE: &[&str] = &["cookie"];
/// The session cookies of common servers, which also stand outside of headers.
pub(super) const SESSION: &[&str] = &[
    "jsessionid=",
    "phpsessid=",
    "connect.sid=",
    "asp.net_sessionid=",
    "_gitlab_session=",
    "laravel_session=",
    "sessionid=",
    "session=",
];

/// The longest cookie header that is read, in bytes.
const COOKIE_MAX: usize = 4096;

/// How many cookies of one header are read.
const PAIRS_MAX: usize = 64;

/// `Bearer TOKEN`, in a header or alone.
pub(super) fn read_bearer(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let mut start = skip_blanks(text, at.end);
    for gap in ["%20", ":", "+"] {
        if start == at.end && goes_on(text, start, gap) {
            start = skip_blanks(text, start + gap.len());
        }
    }
    if start > at.end {
        let range = start..token_end(text, start);
        let token = &text[range.clone()];
        if token.len() >= 12 && (shape::is_random(token) || is_long(token)) {
            found.push(Span { range, kind: "bearer-token", named: false });
        }
    }
}

/// `Basic BASE64` where the text decodes to `user:password`.
pub(super) fn read_basic(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let start = skip_blanks(text, at.end);
    let range = start..token_end(text, start);
    if judge::is_basic(&text[range.clone()]) {
        found.push(Span { range, kind: "basic-auth", named: false });
    }
}

/// `Authorization: SCHEME VALUE` for any other scheme, or none.
pub(super) fn read_authorization(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let Some(mut start) = header_value(text, at.end) else { return };
    let mut kind = "authorization";
    for _ in 0..2 {
        let range = start..token_end(text, start);
        let token = &text[range.clone()];
        if token.len() >= 8 && (shape::is_random(token) || judge::is_basic(token)) {
            // `Authorization: CLIENT SECRET`
            let next = skip_blanks(text, range.end);
            let second = next..token_end(text, next);
            if next > range.end && second.len() >= 24 && shape::is_random(&text[second.clone()]) {
                found.push(Span { range: second, kind, named: false });
            }
            found.push(Span { range, kind, named: false });
            return;
        }
        if byte(text, range.end) != b' ' || token.is_empty() {
            return;
        }
        kind = match token.to_ascii_lowercase().as_str() {
            "basic" => "basic-auth",
            "bearer" => "bearer-token",
            _ => kind,
        };
        start = skip_blanks(text, range.end);
    }
}

/// `Cookie: a=1; b=2` and `Set-Cookie: a=1; Path=/`: the values that look drawn.
pub(super) fn read_cookie(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    if let Some(start) = header_value(text, at.end).or_else(|| option_value(text, at.end)) {
        read_pairs(text, start, found);
    }
}

/// The values of `a=1; b=2` from `start` to the end of the quote or line.
pub(super) fn read_pairs(text: &str, start: usize, found: &mut Vec<Span>) {
    let end = line_end(text, start, COOKIE_MAX);
    let stop = text[start..end]
        .find(['"', '\'', '\\', '`', '<', '>'])
        .map_or(end, |length| start + length);
    let mut at = start;
    for pair in text[start..stop].split(';').take(PAIRS_MAX) {
        if let Some(equals) = pair.find('=') {
            let range = at + equals + 1..at + pair.trim_end().len();
            if range.start < range.end && is_cookie(&text[range.clone()]) {
                found.push(Span { range, kind: "cookie", named: false });
            }
        }
        at += pair.len() + 1;
    }
}

/// A session cookie wherever it stands.
pub(super) fn read_session(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let value = value::bare(text, at.end, Reach::Delimiter);
    if value.range.len() >= 16 && is_cookie(&text[value.range.clone()]) {
        found.push(Span { range: value.range, kind: "cookie", named: false });
    }
}

fn is_cookie(value: &str) -> bool {
    value.len() >= 8 && !value.contains(' ') && !value.contains("://") && shape::is_random(value)
}

/// Where the value of a header begins whose name ends at `at`: `: v`, `": "v`, `\": \"v`, ` = "v`.
fn header_value(text: &str, at: usize) -> Option<usize> {
    let mut start = skip_blanks(text, value::skip_quote(text, at));
    if byte(text, start) == b']' {
        start = skip_blanks(text, start + 1);
    }
    matches!(byte(text, start), b':' | b'=' | b',')
        .then(|| value::skip_quote(text, skip_blanks(text, start + 1)))
}

/// `--cookie VALUE`
fn option_value(text: &str, at: usize) -> Option<usize> {
    let option = text[..at].ends_with("--cookie");
    (option && byte(text, at) == b' ').then(|| value::skip_quote(text, skip_blanks(text, at)))
}

fn is_long(token: &str) -> bool {
    token.len() >= 24
        && token.bytes().any(|byte| byte.is_ascii_digit())
        && !shape::is_placeholder(token)
        && !shape::is_wordy(token)
}

fn token_end(text: &str, start: usize) -> usize {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~+/=-:|".contains(byte);
    start + text.as_bytes()[start..].iter().take(4096).take_while(|byte| part(byte)).count()
}
