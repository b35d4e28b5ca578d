//! Keeps the beginning and the end of an output while it arrives, both limited, and counts what is dropped between.

use std::collections::VecDeque;

/// How many characters of a result's beginning, and of its end, the model sees.
pub(super) const HALF: usize = 15_000;

/// The beginning and the end of a text.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: String,
    head_chars: usize,
    /// The text after the beginning, without what was dropped.
    tail: VecDeque<char>,
    /// How many line ends were dropped.
    dropped_lines: u64,
    is_cut: bool,
}

impl Kept {
    /// Adds text.
    pub(super) fn push(&mut self, text: &str) {
        let mut rest = text;
        if self.head_chars < HALF {
            let room = HALF - self.head_chars;
            let end = text.char_indices().nth(room).map_or(text.len(), |(at, _)| at);
            self.head_chars += text[..end].chars().count();
            self.head.push_str(&text[..end]);
            rest = &text[end..];
        }
        self.tail.extend(rest.chars());
        let over = self.tail.len().saturating_sub(HALF);
        if over > 0 {
            self.is_cut = true;
            self.dropped_lines +=
                self.tail.drain(..over).filter(|each| *each == '\n').count() as u64;
        }
    }

    /// Joins both streams, without trailing white space: at most twice [`HALF`] characters, and the line with
    /// the number of dropped lines.
    pub(super) fn join(mut stdout: Self, stderr: Self) -> String {
        if !stdout.is_empty() && !stderr.is_empty() && !stdout.ends_line() {
            stdout.push("\n");
        }
        let mut all = stdout;
        all.append(stderr);
        let tail: String = all.tail.into_iter().collect();
        if !all.is_cut {
            return (all.head + &tail).trim_end().to_owned();
        }
        let lines = all.dropped_lines + 1;
        format!("{}\n\n... [truncated {lines} lines] ...\n\n{}", all.head, tail.trim_end())
    }

    fn append(&mut self, after: Self) {
        self.push(&after.head);
        if after.is_cut {
            // Everything before the gap in the second text is dropped as well.
            let gap = self.tail.drain(..).filter(|each| *each == '\n').count() as u64;
            self.dropped_lines += gap + after.dropped_lines;
            self.is_cut = true;
        }
        let tail: String = after.tail.into_iter().collect();
        self.push(&tail);
    }

    fn is_empty(&self) -> bool {
        self.head_chars == 0
    }

    fn ends_line(&self) -> bool {
        self.tail.back().map_or(self.head.ends_with('\n'), |last| *last == '\n')
    }
}

#[cfg(test)]
mod tests {
    use super::{HALF, Kept};

    fn joined(stdout: &[&str], stderr: &[&str]) -> String {
        let kept = |pieces: &[&str]| {
            let mut kept = Kept::default();
            for piece in pieces {
                kept.push(piece);
            }
            kept
        };
        Kept::join(kept(stdout), kept(stderr))
    }

    #[test]
    fn a_text_that_fits_is_kept_whole() {
        assert_eq!(joined(&[], &[]), "");
        assert_eq!(joined(&["a", "\nb\n"], &[]), "a\nb");
        assert_eq!(joined(&["a"], &["b\n"]), "a\nb");
        assert_eq!(joined(&["a\n"], &["b\n"]), "a\nb");
        assert_eq!(joined(&[], &[" b "]), " b");
        let most = "ä".repeat(2 * HALF);
        assert_eq!(joined(&[&most], &[]), most);
        assert_eq!(
            joined(&[&"x".repeat(HALF)], &[&"y".repeat(HALF - 1)]).chars().count(),
            2 * HALF
        );
    }

    #[test]
    fn of_a_longer_one_both_ends_are_kept_and_the_lines_between_are_counted() {
        let lines: String = (0..10_000).map(|number| format!("{number:09}\n")).collect();
        let text = joined(&[&lines], &[]);
        let (head, rest) = text.split_once("\n\n... [truncated ").unwrap();
        let (count, tail) = rest.split_once(" lines] ...\n\n").unwrap();
        assert_eq!((head.chars().count(), tail.chars().count()), (HALF, HALF - 1));
        assert!(head.starts_with("000000000\n") && tail.ends_with("000009999"));
        assert_eq!(count, "7001");
        // In pieces, and with the error stream at the end.
        let pieces: Vec<&str> = lines.split_inclusive('0').collect();
        assert_eq!(joined(&pieces, &[]), text);
        let both = joined(&[&lines], &[&lines]);
        assert!(both.starts_with("000000000\n") && both.ends_with("000009999"));
        assert!(both.contains("... [truncated 17001 lines] ..."), "{}", both.len());
        assert!(joined(&[&lines], &["last words"]).ends_with("9999\nlast words"));
        assert!(joined(&["first"], &[&lines]).starts_with("first\n000000000\n"));
    }
}
