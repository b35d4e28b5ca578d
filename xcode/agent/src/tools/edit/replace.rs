//! Finds and replaces text. CRLF and LF compare as equal; the file keeps its line ends,
//! and its final newline or the lack of one.

use std::borrow::Cow;
use std::ops::Range;

/// The occurrences of the text to be replaced.
pub(super) struct Places<'b> {
    body: &'b str,
    /// The text searched for, with LF.
    old: String,
    /// The ranges in `body` with LF, in order and not overlapping.
    found: Vec<Range<usize>>,
    /// For each removed CR, the position of its LF in `body` with LF.
    left_out: Vec<usize>,
}

/// Finds all occurrences of `old`.
pub(super) fn find<'b>(body: &'b str, old: &str) -> Places<'b> {
    let old = with_lf(old).into_owned();
    let plain = with_lf(body);
    let found = plain.match_indices(&old).map(|(at, _)| at..at + old.len()).collect();
    let pairs = body.match_indices("\r\n").enumerate();
    // Each earlier pair is shorter by one byte.
    let left_out = pairs.map(|(before, (at, _))| at - before).collect();
    Places { body, old, found, left_out }
}

impl Places<'_> {
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The line number of each, from 1.
    pub(super) fn lines(&self) -> Vec<usize> {
        let (mut line, mut from) = (1, 0);
        let mut lines = Vec::with_capacity(self.found.len());
        for place in &self.found {
            let start = self.origin(place.start);
            line += newlines(&self.body[from..start]);
            from = start;
            lines.push(line);
        }
        lines
    }

    /// The file's text with all occurrences replaced by `new`.
    pub(super) fn replace(&self, new: &str) -> String {
        let plain = with_lf(new);
        // The common beginning and end are not changed, so that they keep their line ends.
        let before = common(self.old.chars(), plain.chars());
        let (old_rest, new_rest) = (&self.old[before..], &plain[before..]);
        let after = common(old_rest.chars().rev(), new_rest.chars().rev());
        let brought = &new_rest[..new_rest.len() - after];
        let mut text = String::with_capacity(self.body.len());
        let mut from = 0;
        for place in &self.found {
            let start = self.origin(place.start + before);
            let end = self.origin(place.end - after);
            text.push_str(&self.body[from..start]);
            match end_of_line(self.body, start) {
                Some("\r\n") => text.push_str(&brought.replace('\n', "\r\n")),
                Some(_) => text.push_str(brought),
                // The file has no line end to imitate.
                None if new.contains("\r\n") => text.push_str(&brought.replace('\n', "\r\n")),
                None => text.push_str(brought),
            }
            from = end;
        }
        text.push_str(&self.body[from..]);
        if self.old.trim_end_matches('\n') == plain.trim_end_matches('\n') {
            // The edit concerns the final newline itself.
            return text;
        }
        keep_final_newline(self.body, text)
    }

    /// Converts a position in the text with LF to one in the original text.
    fn origin(&self, plain: usize) -> usize {
        plain + self.left_out.partition_point(|line_feed| *line_feed < plain)
    }
}

fn with_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") { text.replace("\r\n", "\n").into() } else { text.into() }
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The length of the common beginning of two texts, in bytes.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// The line end of the line at a position, or of the previous line if it has none.
fn end_of_line(body: &str, at: usize) -> Option<&'static str> {
    let line_feed =
        body[at..].find('\n').map(|found| at + found).or_else(|| body[..at].rfind('\n'))?;
    Some(if body[..line_feed].ends_with('\r') { "\r\n" } else { "\n" })
}

fn keep_final_newline(before: &str, mut after: String) -> String {
    if before.is_empty() || after.is_empty() {
        return after;
    }
    match (before.ends_with('\n'), after.ends_with('\n')) {
        (true, false) => after.push_str(if before.ends_with("\r\n") { "\r\n" } else { "\n" }),
        (false, true) => after.truncate(after.trim_end_matches(['\r', '\n']).len()),
        (true, true) | (false, false) => {}
    }
    after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(pattern: &'static str) -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![Just("\n"), Just("\r\n"), Just("a"), Just("é"), Just(pattern)],
            0..12,
        )
        .prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn with_lf_it_is_a_plain_replacement(body in texts("字"), old in texts("字"), new in texts("b")) {
            prop_assume!(!old.is_empty());
            let places = find(&body, &old);
            let (plain, old, new_plain) = (with_lf(&body), with_lf(&old), with_lf(&new));
            prop_assert_eq!(places.len(), plain.matches(&*old).count());
            let lines = places.lines();
            for ((at, _), line) in plain.match_indices(&*old).zip(lines) {
                prop_assert_eq!(line, newlines(&plain[..at]) + 1);
            }
            let replaced = places.replace(&new);
            let ends = ['\r', '\n'];
            let expected = plain.replace(&*old, &new_plain);
            let (one, other) = (with_lf(&replaced), with_lf(&expected));
            prop_assert_eq!(one.trim_end_matches(ends), other.trim_end_matches(ends));
            if places.len() == 0 {
                prop_assert_eq!(replaced, body);
            }
        }
    }
}
