//! Steps through a text that every reader takes, and what it finds.

use std::ops::Range;

/// A stretch of text to replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) range: Range<usize>,
    pub(crate) kind: &'static str,
    /// Found by a form of its own rather than by a name beside it.
    pub(crate) named: bool,
}

/// The byte at `at`, or 0 at the end.
pub(super) fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// `at` moved past spaces and tabs, at most 40 of them.
pub(super) fn skip_blanks(text: &str, at: usize) -> usize {
    let blanks = text.as_bytes().get(at..).unwrap_or_default().iter().take(40);
    at + blanks.take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// True if `text` goes on at `at` with `word`, whatever the case of its ASCII letters.
pub(super) fn goes_on(text: &str, at: usize, word: &str) -> bool {
    text.as_bytes()
        .get(at..at + word.len())
        .is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// The end of the line that `at` is in, at most `limit` bytes further.
pub(super) fn line_end(text: &str, at: usize, limit: usize) -> usize {
    let at = at.min(text.len());
    let end = text.floor_char_boundary(at + limit);
    text.as_bytes()[at..end]
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(end, |length| at + length)
}
