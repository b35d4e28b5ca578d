//! Credentials without a scheme in front: `user:secret@host:5432`, `scott/tiger@db`, and the lines
//! of a `.pgpass`.

use std::ops::Range;

use super::text::{Span, byte, line_end};
use crate::shape::{self, Mix};

pub(super) const AT: &[&str] = &["@"];
pub(super) const PGPASS: &[&str] = &[":5432:", ":5433:", ":6432:", ":*:"];

/// The longest user and secret that are read, in bytes.
const LENGTH_MAX: usize = 128;

/// Labels and schemes that stand before an address or a version and not before a secret.
const LABELS: &[&str] = &[
    "acct",
    "author",
    "bcc",
    "by",
    "cc",
    "contact",
    "email",
    "file",
    "from",
    "git",
    "github",
    "http",
    "https",
    "image",
    "jsr",
    "link",
    "login",
    "mail",
    "mailto",
    "maintainer",
    "name",
    "npm",
    "owner",
    "patch",
    "portal",
    "reply-to",
    "sip",
    "sips",
    "ssh",
    "tel",
    "to",
    "user",
    "username",
    "workspace",
    "xmpp",
];

/// Looks back from an at sign.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    if !is_host(text, at.end) {
        return;
    }
    let bytes = text.as_bytes();
    let from = at.start.saturating_sub(LENGTH_MAX);
    let stops = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'=' | b'@' | b'|')
    };
    let run = bytes[from..at.start].iter().rev().take_while(|byte| !stops(byte)).count();
    let start = text.ceil_char_boundary(at.start - run);
    let Some(content) = text.get(start..at.start) else { return };
    if content.contains("://") {
        return;
    }
    let Some(split) = content.rfind([':', '/']) else { return };
    let (before, secret) = (&content[..split], &content[split + 1..]);
    let user = before.rsplit([':', '/', ',', '(', '[', ';']).next().unwrap_or(before);
    let is_driver = text[at.end..].starts_with("tcp(");
    if (is_user(user) || is_driver && !user.is_empty())
        && is_secret(secret)
        && !content[split..].starts_with("//")
    {
        found.push(Span { range: start + split + 1..at.start, kind: "url-password", named: false });
    }
}

fn is_user(user: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+%".contains(&byte);
    (1..=48).contains(&user.len())
        && user.bytes().all(part)
        && user.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !LABELS.iter().any(|label| label.eq_ignore_ascii_case(user))
}

/// Letters with digits, or with signs that no name has.
fn is_secret(secret: &str) -> bool {
    let mix = Mix::of(secret);
    let version = secret.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    secret.len() >= 5
        && mix.letters() > 0
        && (mix.digits > 0 || secret.contains(['!', '$', '#', '&', '*', '?', '^']))
        && !version
        && !secret.contains(['(', '{', '[', '\\'])
        && !shape::is_placeholder(secret)
}

/// What follows the sign is a host: `db1:5432`, `host.example`, `tcp(`, `//db`, `host::mod`.
fn is_host(text: &str, at: usize) -> bool {
    let bytes = &text.as_bytes()[at..];
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let length = bytes.iter().take(LENGTH_MAX).take_while(part).count();
    let host = &text[at..at + length];
    let next = byte(text, at + length);
    let digest = matches!(host, "sha256" | "sha512" | "sha1" | "latest" | "next");
    bytes.starts_with(b"tcp(")
        || bytes.starts_with(b"//")
        || length > 1
            && !digest
            && host.bytes().any(|byte| byte.is_ascii_alphabetic() || byte == b'.')
            && (next == b':'
                || next == b'/'
                || host.contains('.')
                || matches!(next, 0 | b' ' | b'"' | b'\'' | b'\n'))
}

/// `host:port:database:user:secret`
pub(super) fn read_pgpass(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    let from = text.ceil_char_boundary(at.start.saturating_sub(LENGTH_MAX));
    let start =
        text[from..at.start].rfind(['\n', ' ', '"', '\'']).map_or(from, |index| from + index + 1);
    let end = line_end(text, at.start, LENGTH_MAX * 3);
    let line = text[start..end].trim_end_matches(['\r', ' ', '"', '\'', ',']);
    let fields: Vec<&str> = line.splitn(5, ':').collect();
    let [host, _, database, user, secret] = fields.as_slice() else { return };
    let plain = |field: &&&str| !field.is_empty() && !field.contains(char::is_whitespace);
    let all = [host, database, user, secret];
    if all.iter().all(plain) && secret.len() >= 4 && !shape::is_placeholder(secret) {
        let range = start + line.len() - secret.len()..start + line.len();
        found.push(Span { range, kind: "password", named: false });
    }
}
