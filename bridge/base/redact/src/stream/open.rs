//! Which lines at the end of a text what follows could still make part of a secret.

use crate::detect::{self, Span};
use crate::{decode, prefilter};

/// How far behind a quoted piece the next one of the same text may begin, in bytes.
const JOINT_MAX: usize = 48;

/// The longest word that is taken for an ordinary one, in bytes.
const HARMLESS_MAX: usize = 24;

/// The end of the lines of `text` that are closed; not before `from`. `text` ends with a line.
///
/// `masks` are the secrets in `text` and in what follows it.
pub(super) fn closed(text: &str, from: usize, masks: &[Span]) -> usize {
    let mut end = text.len();
    if let Some((first_line, _)) = detect::open_key(&text[from..]) {
        end = line_start(text, from, from + first_line.start);
    }
    while end > from {
        let lines = &text[..end];
        let start = [
            detect::key_lines(&text[from..end]).map(|start| from + start),
            detect::open_phrase(lines),
            detect::open_value(lines),
            prefilter::wrapped(lines),
            joined_line(lines),
            long_token(lines, masks),
        ];
        match start.into_iter().flatten().min() {
            Some(start) => end = line_start(text, from, start.min(end - 1)),
            None => break,
        }
    }
    end
}

/// Whether a word ends with this character: a blank, or one of a script that is written without blanks. Not the
/// wide forms of letters and digits, of which a secret may consist.
pub(super) fn ends_word(each: char) -> bool {
    let is_unspaced = matches!(each,
        '\u{3001}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '，' | '：' | '；' | '！' | '？' | '（' | '）');
    is_unspaced || each.is_whitespace()
}

/// Whether a word with what ends it can be no part of a secret, whatever follows: an ordinary word.
pub(super) fn is_harmless(word: &str) -> bool {
    let Some(last) = word.chars().last().filter(|&last| ends_word(last)) else { return false };
    let word = &word[..word.len() - last.len_utf8()];
    let letters = word.trim_matches(|each: char| ".,:;!?()[]\"'".contains(each));
    let is_spelled = letters.chars().count() == 1 && letters != "a";
    let changes_case = word
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    word.len() <= HARMLESS_MAX
        && !is_spelled
        && !changes_case
        && !word.contains(|each: char| each.is_ascii_digit() || "-=+_|<>\\".contains(each))
}

/// The start of the line that `at` is in; not before `from`.
fn line_start(text: &str, from: usize, at: usize) -> usize {
    let at = at.max(from);
    text[from..at].rfind('\n').map_or(from, |index| from + index + 1)
}

/// Where the last line begins that is not empty, if the text or the row of numbers at its end goes on
/// in the next line.
fn joined_line(text: &str) -> Option<usize> {
    let lines = text.trim_end_matches('\n');
    let start = lines.rfind('\n').map_or(0, |at| at + 1);
    let line = &lines[start..];
    let is_joined = line.ends_with('\\') || ends_in_piece(line) || decode::ends_in_number(line);
    is_joined.then_some(start)
}

/// Where a long secret begins that ends with the last line: its rest may stand on the next one.
fn long_token(text: &str, masks: &[Span]) -> Option<usize> {
    let next = masks.partition_point(|mask| mask.range.end < text.len());
    let last = masks[..next].last()?;
    let is_long = last.range.len() >= prefilter::WRAPPED_LINE_MIN;
    (is_long && last.range.end + 1 == text.len()).then_some(last.range.start)
}

/// True if the line ends in a quoted piece and signs that may join another one to it: `"ab" +`.
fn ends_in_piece(line: &str) -> bool {
    let tail = &line[line.floor_char_boundary(line.len().saturating_sub(JOINT_MAX))..];
    let is_sign = |char: char| " \t+.&~\\|".contains(char);
    tail.rfind(['"', '\'', '`']).is_some_and(|quote| {
        let rest = &tail[quote + 1..];
        rest.chars().all(is_sign) || rest.trim_start_matches(is_sign).starts_with("/*")
    })
}
