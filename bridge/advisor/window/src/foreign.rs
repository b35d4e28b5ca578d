//! Untrusted text as text on a page: nothing in it is markup, the style sheet preserves white space,
//! invisible characters are shown by their numbers, and `code` is formatted as code.
//! Not here: links, images and everything else of Markdown.

use askama::Template;
use askama::filters::HtmlSafe;

/// An untrusted text for a template.
#[derive(Template)]
#[template(path = "foreign.html")]
pub(crate) struct Foreign {
    parts: Vec<Part>,
}

// Only its template, which escapes every part, creates the HTML.
impl HtmlSafe for Foreign {}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Plain(String),
    Code(String),
    /// An invisible character, such as `U+202E`.
    Unseen(String),
}

/// An untrusted text on a page.
pub(crate) fn foreign(text: impl AsRef<str>) -> Foreign {
    let mut parts = Vec::new();
    let mut rest = text.as_ref();
    while let Some((before, code, after)) = next_code(rest) {
        take(before, Part::Plain, &mut parts);
        take(code, Part::Code, &mut parts);
        rest = after;
    }
    take(rest, Part::Plain, &mut parts);
    Foreign { parts }
}

/// An untrusted text in which every character counts, such as a command: a backtick is a backtick.
pub(crate) fn exact(text: impl AsRef<str>) -> Foreign {
    let mut parts = Vec::new();
    take(text.as_ref(), Part::Plain, &mut parts);
    Foreign { parts }
}

/// An untrusted text on one line without markup: a title, a label.
pub(crate) fn plain(text: &str) -> String {
    redact::visible_line(text).into_owned()
}

/// The text before the first code, the code without its backticks, and the rest. Code is between
/// single backticks on one line, or between two lines that begin with three.
fn next_code(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(at) = text[from..].find('`').map(|at| from + at) {
        let ticks = text[at..].bytes().take_while(|byte| *byte == b'`').count();
        let (before, after) = (&text[..at], &text[at + ticks..]);
        let begins_line = before.is_empty() || before.ends_with('\n');
        if ticks == 3 && begins_line {
            // The word after the backticks names a language, and is kept.
            if let Some(end) = after.find("\n```") {
                return Some((before, &after[..end], &after[end + 4..]));
            }
        } else if ticks == 1 {
            let line = after.split('\n').next().unwrap_or_default();
            if let Some(end) = line.find('`').filter(|end| *end > 0) {
                return Some((before, &after[..end], &after[end + 1..]));
            }
        }
        from = at + ticks;
    }
    None
}

fn take(text: &str, kind: fn(String) -> Part, parts: &mut Vec<Part>) {
    let mut kept = String::new();
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        if is_seen(last, char, next) {
            kept.push(char);
        } else if !(char == '\r' && next == Some('\n')) {
            if !kept.is_empty() {
                parts.push(kind(std::mem::take(&mut kept)));
            }
            parts.push(Part::Unseen(format!("U+{:04X}", u32::from(char))));
        }
        last = char;
    }
    if !kept.is_empty() {
        parts.push(kind(kept));
    }
}

/// Whether a reader sees the character as it is. A joiner between two characters outside ASCII combines them into
/// a letter or an emoji.
fn is_seen(last: char, char: char, next: Option<char>) -> bool {
    if matches!(char, ' '..='~') {
        return true;
    }
    let joins = matches!(char, '\u{200c}' | '\u{200d}')
        && !last.is_ascii()
        && next.is_some_and(|next| !next.is_ascii() && next.is_alphanumeric() | is_picture(next));
    joins || redact::visible(char.encode_utf8(&mut [0; 4])).chars().eq([char])
}

fn is_picture(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use askama::Template as _;

    use super::{exact, foreign};

    #[test]
    fn what_is_not_seen_is_shown_and_what_is_markup_is_not() {
        for (text, expected) in [
            ("a <b>&\"'", "a &#60;b&#62;&#38;&#34;&#39;"),
            ("two\n\tlines\r\nhere", "two\n\tlines\nhere"),
            ("x\u{202e}y", "x<span class=\"unseen\">U+202E</span>y"),
            (
                "a\u{200b}\u{200d}b",
                "a<span class=\"unseen\">U+200B</span><span class=\"unseen\">U+200D</span>b",
            ),
            ("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\u{200d}\u{1f469}"),
            ("日\u{200d}<", "日<span class=\"unseen\">U+200D</span>&#60;"),
            ("use `a < b` here", "use <code>a &#60; b</code> here"),
            ("``` \nx", "``` \nx"),
            ("a ` b\nc ` d", "a ` b\nc ` d"),
            ("```rust\nlet x;\n```\nend", "<code>rust\nlet x;</code>\nend"),
            ("`\u{7}`", "<span class=\"unseen\">U+0007</span>"),
            (
                "[a](javascript:x) **b** https://x.example",
                "[a](javascript:x) **b** https://x.example",
            ),
        ] {
            assert_eq!(foreign(text).render().unwrap(), expected);
        }
    }

    #[test]
    fn nothing_of_an_exact_text_is_left_out() {
        let command = "echo `rm -rf x` > ```\na\u{202e}b";
        let expected = "echo `rm -rf x` &#62; ```\na<span class=\"unseen\">U+202E</span>b";
        assert_eq!(exact(command).render().unwrap(), expected);
    }
}
