//! The cookies: one for the session, one for the chosen language.

use http::HeaderValue;
use http::header::{COOKIE, HeaderMap};
use window::Lang;

use crate::config::Secret;
use crate::window::sign_in::is_secret;

/// Name of the session's cookie.
const SESSION: &str = "cbw";

/// Name of the language's cookie.
const LANGUAGE: &str = "cbl";

/// Attributes of both: not readable by scripts, not sent by other sites. They are not `Secure`,
/// because the daemon serves plain HTTP, where browsers would discard them.
const RULES: &str = "Path=/; HttpOnly; SameSite=Strict";

/// Lifetime of the language's cookie: a year, in seconds.
const LANGUAGE_SECONDS: u32 = 365 * 24 * 60 * 60;

/// The session's cookie, if it occurs exactly once and is well-formed.
pub(super) fn session(headers: &HeaderMap) -> Option<Secret> {
    only(headers, SESSION)
        .filter(|value| is_secret(value))
        .map(|value| Secret::new(value.to_owned()))
}

/// The stored language.
pub(super) fn language(headers: &HeaderMap) -> Option<Lang> {
    only(headers, LANGUAGE).and_then(Lang::from_tag)
}

/// The value of a cookie that occurs exactly once in all headers.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// Sets the session's cookie, which the browser forgets when it is closed.
pub(super) fn begin(cookie: &Secret) -> HeaderValue {
    sensitive(&format!("{SESSION}={}; {RULES}", cookie.expose()))
}

/// Removes the session's cookie.
pub(super) fn end() -> HeaderValue {
    sensitive(&format!("{SESSION}=; {RULES}; Max-Age=0"))
}

/// Stores the language.
pub(super) fn keep_language(lang: Lang) -> HeaderValue {
    let tag = lang.tag();
    HeaderValue::from_str(&format!("{LANGUAGE}={tag}; {RULES}; Max-Age={LANGUAGE_SECONDS}"))
        .expect("a tag is two letters")
}

fn sensitive(text: &str) -> HeaderValue {
    let mut value = HeaderValue::from_str(text).expect("a cookie is base64");
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_taken_when_it_is_there_once() {
        let (one, two) = ("a".repeat(43), "b".repeat(43));
        let check = |lines: &[String], expected: Option<&str>| {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(COOKIE, HeaderValue::from_str(line).unwrap());
            }
            let found = session(&headers);
            assert_eq!(found.as_ref().map(Secret::expose), expected, "{lines:?}");
        };
        check(&[], None);
        check(&[format!("cbw={one}")], Some(&one));
        check(&[format!("a=b; cbw={one};cbl=zh")], Some(&one));
        check(&["a=b".to_owned(), format!("cbw={one}")], Some(&one));
        check(&[format!("cbw={one}; cbw={two}")], None);
        check(&[format!("cbw={one}"), format!("cbw={two}")], None);
        check(&[format!("cbw={one}; cbw=")], None);
        check(&[format!("CBW={one}")], None);
        check(&[format!("xcbw={one}")], None);
        check(&[format!("cbw={one}x")], None);
        check(&[format!("cbw=\"{one}\"")], None);
        check(&["cbw=".to_owned()], None);
        check(&["cbw".to_owned()], None);
    }
}
