//! Values in XML and HTML: of an element that is named for a secret, or of the element after the one
//! that holds the name.

use super::text::{byte, line_end};
use super::value::Value;

/// How far behind its name a value may begin, in bytes.
const GAP_MAX: usize = 200;

/// How many tags may stand between a name and its value.
const TAGS_MAX: usize = 4;

/// Where the name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    /// `<password>`: the element itself.
    Element,
    /// `<key>password</key><string>`: a text or an attribute before.
    Beside,
}

/// The value behind a name at `start..end`; `end` is behind the name and its closing quote.
pub(super) fn value(text: &str, start: usize, end: usize) -> Option<(Named, Value)> {
    if text[..start].ends_with('/') || !matches!(byte(text, end), b'>' | b'<' | b' ') {
        return None;
    }
    let element = is_tag_name(text, start);
    if byte(text, end) == b' ' && !element {
        return None;
    }
    let named = if element { Named::Element } else { Named::Beside };
    let mut at = end;
    if element || byte(text, end) != b'<' {
        // The rest of the tag that the name stands in.
        let close = text[end..line_end(text, end, GAP_MAX)].find(['<', '>'])? + end;
        if byte(text, close) != b'>' || text[..close].ends_with(['/', '-', '=']) {
            return None;
        }
        at = close + 1;
    } else if !text[end..].starts_with("</") {
        return None;
    }
    for _ in 0..TAGS_MAX {
        at +=
            text.as_bytes()[at..].iter().take(80).take_while(|it| it.is_ascii_whitespace()).count();
        if byte(text, at) != b'<' || text[at..].starts_with("<![CDATA[") || element {
            break;
        }
        let limit = text.floor_char_boundary(at + GAP_MAX);
        at += text[at..limit].find('>')? + 1;
    }
    at += if text[at..].starts_with("<![CDATA[") { "<![CDATA[".len() } else { 0 };
    let limit = text.floor_char_boundary(at + 512);
    let length = text[at..limit].find(['<', '\n'])?;
    let closes = text[at + length..].starts_with("</");
    let content = text[at..at + length].trim_end_matches("]]>").trim_end();
    (closes || content.len() < length).then_some(())?;
    (!content.is_empty()).then(|| (named, Value { range: at..at + content.len(), quoted: true }))
}

/// `<password`, `<ns:password`
fn is_tag_name(text: &str, start: usize) -> bool {
    let bytes = &text.as_bytes()[..start];
    let space = bytes.iter().rev().take(40);
    let space = space.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b':').count();
    bytes.len() > space && bytes[bytes.len() - space - 1] == b'<'
}
