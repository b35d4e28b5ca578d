//! The secret half of an Amazon key pair: 40 characters on the lines of its key id.

use std::ops::Range;

use super::text::Span;
use crate::shape::Mix;

pub(super) const KEYWORDS: &[&str] = &["akia", "asia"];

/// How long a key id is, with its keyword.
const ID_LENGTH: usize = 20;

/// How long a secret key is.
const SECRET_LENGTH: usize = 40;

/// How far from its id a secret is looked for, in bytes.
const REACH: usize = 256;

/// Looks around a key id.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    let is_id = |byte: &u8| byte.is_ascii_uppercase() || matches!(byte, b'2'..=b'7');
    let id = at.start..at.start + ID_LENGTH;
    if !bytes.get(id.clone()).is_some_and(|id| id.iter().all(is_id)) {
        return;
    }
    let from = text.ceil_char_boundary(id.start.saturating_sub(REACH));
    let to = text.floor_char_boundary(id.end + REACH);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let mut start = from;
    for piece in bytes[from..to].split(|byte| !is_part(byte)) {
        let run = start..start + piece.len();
        if run.len() == SECRET_LENGTH && is_secret(&text[run.clone()]) {
            found.push(Span { range: run, kind: "aws-secret-key", named: true });
        }
        start += piece.len() + 1;
    }
}

/// Drawn from all of base64: a digest in hexadecimal is not.
fn is_secret(value: &str) -> bool {
    let mix = Mix::of(value);
    mix.lower > 2 && mix.upper > 2 && mix.digits > 0
}
