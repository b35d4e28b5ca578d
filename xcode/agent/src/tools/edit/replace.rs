//! Finds text and puts other text in its place. CRLF counts as LF in what is compared; the file keeps the ends
//! of line that it has, and its final newline or the lack of it.

use std::borrow::Cow;
use std::ops::Range;

/// Where the text that is to be replaced stands.
pub(super) struct Places<'b> {
    body: &'b str,
    /// What was looked for, with LF.
    old: String,
    /// In `body` with LF, in order, none over another.
    found: Vec<Range<usize>>,
    /// For each CR that was left out, the place of its LF in `body` with LF.
    left_out: Vec<usize>,
}

/// Finds every place of `old`.
pub(super) fn find<'b>(body: &'b str, old: &str) -> Places<'b> {
    let old = with_lf(old).into_owned();
    let plain = with_lf(body);
    let found = plain.match_indices(&old).map(|(at, _)| at..at + old.len()).collect();
    let pairs = body.match_indices("\r\n").enumerate();
    // Each pair before it took one byte.
    let left_out = pairs.map(|(before, (at, _))| at - before).collect();
    Places { body, old, found, left_out }
}

impl Places<'_> {
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    /// The line of each, from 1.
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

    /// The file's text with `new` in all places.
    pub(super) fn replace(&self, new: &str) -> String {
        let plain = with_lf(new);
        // What both have in common is not touched, so that it keeps its ends of line.
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
                // The file has no line to go by.
                None if new.contains("\r\n") => text.push_str(&brought.replace('\n', "\r\n")),
                None => text.push_str(brought),
            }
            from = end;
        }
        text.push_str(&self.body[from..]);
        if self.old.trim_end_matches('\n') == plain.trim_end_matches('\n') {
            // The final newline is what was asked for.
            return text;
        }
        keep_final_newline(self.body, text)
    }

    /// Where a place of the text with LF is in the text as it is.
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

/// How many bytes two texts have in common where they begin.
fn common(one: impl Iterator<Item = char>, other: impl Iterator<Item = char>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum()
}

/// The end of the line in which a place is, or of the one before it where the line has none.
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
