//! The cookies: one for the session, one for the language that was chosen.

use http::HeaderValue;
use http::header::{COOKIE, HeaderMap};
use window::Lang;

use crate::config::Secret;
use crate::window::sign_in::is_secret;

/// The session's.
const SESSION: &str = "cbw";

/// The language's.
const LANGUAGE: &str = "cbl";

/// What holds for both: no script reads them, no other site's page sends them. They are not `Secure`,
/// because the daemon speaks plain HTTP, and browsers would not keep them.
const RULES: &str = "Path=/; HttpOnly; SameSite=Strict";

/// A year, in seconds: what a browser keeps the language for.
const LANGUAGE_SECONDS: u32 = 365 * 24 * 60 * 60;

/// The session's cookie, if it is there exactly once and has its form.
pub(super) fn session(headers: &HeaderMap) -> Option<Secret> {
    only(headers, SESSION)
        .filter(|value| is_secret(value))
        .map(|value| Secret::new(value.to_owned()))
}

/// The language that was chosen before.
pub(super) fn language(headers: &HeaderMap) -> Option<Lang> {
    only(headers, LANGUAGE).and_then(Lang::from_tag)
}

/// The value of a cookie that is there exactly once, over all headers.
fn only<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name).map(|(_, value)| value);
    values.next().filter(|_| values.next().is_none())
}

/// Begins a session; the browser forgets it when it is closed.
pub(super) fn begin(cookie: &Secret) -> HeaderValue {
    sensitive(&format!("{SESSION}={}; {RULES}", cookie.expose()))
}

/// Ends it.
pub(super) fn end() -> HeaderValue {
    sensitive(&format!("{SESSION}=; {RULES}; Max-Age=0"))
}

/// Keeps the language.
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
