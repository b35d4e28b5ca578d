//! Where a name stands in its line, and what stands before it.

use super::name::{Class, Name};
use super::text::goes_on;

/// How far before a name its line is read, in bytes.
const GAP_MAX: usize = 120;

/// The name stands first on its line, behind nothing but blanks, list marks and shell words.
pub(super) fn begins_line(text: &str, name: &Name) -> bool {
    let (mut before, cut) = lead(text, name);
    loop {
        let trimmed = before.trim_end_matches([' ', '\t', '-', '+', '#', '*', '>', '$', '"', '\'']);
        let stripped = ["export", "set", "ENV", "ARG", "env", "-e", "-x"]
            .iter()
            .find_map(|word| trimmed.strip_suffix(word).filter(|rest| !ends_in_word(rest)));
        match stripped {
            Some(rest) => before = rest,
            None => {
                return trimmed.is_empty() && !cut
                    || trimmed.ends_with('\n')
                    || trimmed.ends_with("\\n");
            }
        }
    }
}

/// How far in the line of `at` begins, where nothing but blanks, a list mark or a quote stands
/// before it.
pub(super) fn begins_line_at(text: &str, at: usize) -> Option<usize> {
    let from = text.ceil_char_boundary(at.saturating_sub(GAP_MAX));
    let line = text[from..at].rfind('\n').map_or(from, |index| from + index + 1);
    let lead = text[line..at].trim_end_matches(['"', '\'']);
    lead.chars().all(|char| matches!(char, ' ' | '\t' | '-')).then_some(lead.len())
}

/// What stands before the name, and whether more stands before that.
pub(super) fn lead<'t>(text: &'t str, name: &Name) -> (&'t str, bool) {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(GAP_MAX));
    (&text[from..name.range.start], from > 0)
}

fn ends_in_word(text: &str) -> bool {
    text.bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

pub(super) fn follows(text: &str, name: &Name, words: &[&str]) -> bool {
    words.iter().any(|word| {
        name.range.start >= word.len() && {
            let start = name.range.start - word.len();
            goes_on(text, start, word)
        }
    })
}

/// `machine HOST login USER password VALUE`
pub(super) fn is_netrc(text: &str, name: &Name) -> bool {
    let from = text.ceil_char_boundary(name.range.start.saturating_sub(240));
    let before = &text[from..name.range.start];
    name.class == Class::Password
        && before.contains("login ")
        && (before.contains("machine ") || before.contains("default "))
}
