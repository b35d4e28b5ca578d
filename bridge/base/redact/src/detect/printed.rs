//! A secret that a command printed: below the line of a prompt that asks for it.

use std::ops::Range;

use super::block;
use super::judge::{self, Join};
use super::name::{Class, Name};
use super::text::{Span, byte, goes_on, line_end, skip_blanks};
use super::value::Value;

/// Commands and calls that print a secret and name none.
pub(super) const MAKERS: &[&str] = &[
    "apg ",
    "gpg --gen-random",
    "openssl rand",
    "print-access-token",
    "pwgen",
    "token_hex(",
    "token_urlsafe(",
    "wg genkey",
    "wg genpsk",
];

/// The longest line of a prompt, in bytes.
const LINE_MAX: usize = 256;

/// How far from the line's start a prompt's sign stands, in bytes.
const PROMPT_MAX: usize = 48;

/// What stands before a value that an interpreter shows.
const SHOWN: &str = "=> ";

/// The word below a command that makes a secret.
pub(super) fn read(text: &str, at: Range<usize>, found: &mut Vec<Span>) {
    if let Some(value) = below(text, at.start, at.end) {
        push(text, Class::Secret, value, "secret", found);
    }
}

/// The word below a prompt's line in which `name` stands.
pub(super) fn read_name(text: &str, name: &Name, found: &mut Vec<Span>) {
    if let Some(value) = below(text, name.range.start, name.range.end) {
        push(text, Class::Password, value, name.kind, found);
    }
}

fn push(text: &str, class: Class, value: Value, kind: &'static str, found: &mut Vec<Span>) {
    if judge::is_secret(class, Join::Prose, &text[value.range.clone()], true) {
        found.push(Span { range: value.range, kind, named: false });
    }
}

fn below(text: &str, start: usize, at: usize) -> Option<Value> {
    let from = text.ceil_char_boundary(start.saturating_sub(LINE_MAX));
    let line = text[from..start].rfind('\n').map_or(from, |index| from + index + 1);
    if !is_prompt(&text[line..text.floor_char_boundary(start.min(line + PROMPT_MAX))]) {
        return None;
    }
    let end = line_end(text, at, LINE_MAX);
    if byte(text, end) != b'\n' {
        return None;
    }
    let mut word = skip_blanks(text, end + 1);
    if goes_on(text, word, SHOWN) {
        word += SHOWN.len();
    }
    block::alone(text, word)
}

/// `$ `, `# `, `>>> `, `bob@web1:~$ `, `irb(main):001:0> `
fn is_prompt(lead: &str) -> bool {
    let lead = lead.trim_start();
    ["$ ", "# ", "> ", ">>> ", "% "].iter().any(|sign| lead.starts_with(sign))
        || lead.split_once(['$', '#', '>', '%']).is_some_and(|(host, rest)| {
            let shell = host.contains(['@', '(']) || host.ends_with("irb");
            shell && rest.starts_with(' ') && !host.contains(' ')
        })
}
