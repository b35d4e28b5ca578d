//! Splits a stream into lines of limited length, at LF only.
//!
//! Codex prints U+2028 and CR inside of lines unescaped (codex 0.169), so no other character may
//! end a line.

use memchr::memchr;

/// Splits chunks into lines. A line that is too long is skipped up to its LF and counted.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Maximum length of a line, in bytes.
    max: usize,
    /// The start of a line whose LF has not come yet; never longer than `max`.
    partial: Vec<u8>,
    /// Whether the current line is being skipped.
    skipping: bool,
    /// How many lines were skipped.
    long: u64,
}

impl Lines {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, partial: Vec::new(), skipping: false, long: 0 }
    }

    /// How many lines were too long.
    pub(crate) fn long(&self) -> u64 {
        self.long
    }

    /// Passes on every line that `chunk` completes.
    pub(crate) fn push(&mut self, mut chunk: &[u8], mut on_line: impl FnMut(&[u8])) {
        while let Some(end) = memchr(b'\n', chunk) {
            let (head, rest) = (&chunk[..end], &chunk[end + 1..]);
            chunk = rest;
            if self.partial.is_empty() && !self.skipping && head.len() <= self.max {
                on_line(head);
                continue;
            }
            self.extend(head);
            if !std::mem::take(&mut self.skipping) {
                on_line(&self.partial);
            }
            self.partial.clear();
        }
        self.extend(chunk);
    }

    /// Passes on the text after the last LF, once the stream has ended.
    pub(crate) fn rest(&mut self, on_line: impl FnOnce(&[u8])) {
        let rest = std::mem::take(&mut self.partial);
        if !rest.is_empty() {
            on_line(&rest);
        }
    }

    /// Adds to the current line, or starts skipping it.
    fn extend(&mut self, bytes: &[u8]) {
        if self.skipping {
            return;
        }
        if self.partial.len() + bytes.len() > self.max {
            self.skipping = true;
            self.long += 1;
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `chunks` in order, and how many were too long.
    fn split(max: usize, chunks: &[&[u8]]) -> (Vec<String>, u64) {
        let mut lines = Lines::new(max);
        let mut got = Vec::new();
        for chunk in chunks {
            lines.push(chunk, |line| got.push(String::from_utf8_lossy(line).into_owned()));
        }
        (got, lines.long())
    }

    #[test]
    fn only_lf_ends_a_line() {
        let text = "a\rb\r\nc\u{2028}d\u{85}\u{b}e\n\nrest".as_bytes();
        let (lines, long) = split(100, &[text]);
        assert_eq!(lines, ["a\rb\r", "c\u{2028}d\u{85}\u{b}e", ""]);
        assert_eq!(long, 0);
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_is_whole() {
        assert_eq!(split(3, &[b"abc\nabcd\nxyz\n"]), (vec!["abc".into(), "xyz".into()], 1));
        assert_eq!(split(3, &[b"ab", b"cd", b"ef\nx\n"]), (vec!["x".into()], 1));
        assert_eq!(split(0, &[b"\na\n\n"]), (vec![String::new(), String::new()], 1));
    }

    #[test]
    fn a_long_line_takes_no_memory() {
        let mut lines = Lines::new(1000);
        for _ in 0..1000 {
            lines.push(&[b'x'; 4096], |_| panic!("no line is complete"));
        }
        assert!(lines.partial.capacity() <= 1000);
        lines.push(b"\n", |_| panic!("the line is too long"));
        assert_eq!(lines.long(), 1);
    }

    #[test]
    fn what_follows_the_last_lf_is_handed_out_at_the_end() {
        let mut lines = Lines::new(4);
        lines.push(b"a\nrest", |_| {});
        let mut rest = Vec::new();
        lines.rest(|line| rest.extend_from_slice(line));
        assert_eq!(rest, b"rest");
        lines.rest(|_| panic!("it was handed out"));
        lines.push(b"too long", |_| {});
        lines.rest(|_| panic!("it is too long"));
    }

    /// The result does not depend on the chunks: every split of every text into two and three gives the
    /// same as the whole.
    #[test]
    fn chunk_boundaries_do_not_matter() {
        for text in
            ["", "\n", "a\n", "ab\ncdef\n\ngh", "\r\n\r\n", "ä\u{2028}\nö\n", "abcdefgh\nij\n"]
        {
            let bytes = text.as_bytes();
            let whole = split(5, &[bytes]);
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let cut = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(split(5, &cut), whole, "{text:?} cut at {first} and {second}");
                }
            }
        }
    }
}
