//! URLs with credentials: `scheme://user:password@host`.

use std::ops::Range;

use super::text::{Span, byte};
use crate::shape;

pub(super) const KEYWORDS: &[&str] = &["://"];

/// The longest user information that is read, in bytes.
const USERINFO_MAX: usize = 512;

/// The password, or a token that stands in the user's place.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    if !byte(text, at.start.wrapping_sub(1)).is_ascii_alphanumeric() {
        return;
    }
    let start = at.end;
    let Some(end) = userinfo_end(text, start) else { return };
    let info = &text[start..end];
    match info.split_once(':') {
        Some((token, "x-oauth-basic" | "X" | "x" | "")) => {
            push_token(start..start + token.len(), token, found);
        }
        Some((user, password)) if is_password(user, password) => {
            let range = start + user.len() + 1..end;
            found.push(Span { range, kind: "url-password", named: false });
        }
        Some(_) => {}
        None => push_token(start..end, info, found),
    }
}

fn push_token(range: Range<usize>, token: &str, found: &mut Vec<Span>) {
    if token.len() >= 16 && shape::is_random(token) {
        found.push(Span { range, kind: "url-token", named: false });
    }
}

/// Where the last `@` before the host stands.
fn userinfo_end(text: &str, start: usize) -> Option<usize> {
    let limit = text.floor_char_boundary(start + USERINFO_MAX);
    let stops = |char: char| {
        char.is_whitespace() || matches!(char, '"' | '\'' | '<' | '>' | '`' | '\\' | '|')
    };
    let all = &text[start..limit];
    let all = &all[..all.find(stops).unwrap_or(all.len())];
    let authority = &all[..all.find(['/', '?', '#']).unwrap_or(all.len())];
    if let Some(length) = authority.rfind('@') {
        return Some(start + length);
    }
    // A password with a bare slash, question mark or hash: what follows the colon is no port.
    let (_, port) = authority.split_once(':')?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    let escaped = !authority.contains('[') && !is_port;
    escaped.then(|| all.find('@').map(|length| start + length)).flatten()
}

fn is_password(user: &str, password: &str) -> bool {
    let known = user.len() < 4 || ["guest", "postgres"].contains(&user);
    let itself = password.eq_ignore_ascii_case(user) && !user.is_empty() && known;
    password.len() >= 3 && !itself && !shape::is_placeholder(password) && !password.starts_with('{')
}
