//! Finds the lines of a file that are most similar to a text which is not in it. They are reported, never changed.

use std::fmt;

/// The most line comparisons; if a file and a text need more, there is no search.
const LOOKS_MAX: usize = 4_000_000;

/// The lowest similarity that is reported, from 0 to 1: below half it is another text.
const ALIKE_MIN: f64 = 0.5;

/// How many lines are shown, and how many characters of each.
const LINES_SHOWN: usize = 12;
const CHARS_SHOWN: usize = 200;

/// Lines that are similar to the text.
#[derive(Debug)]
pub(super) struct Nearest<'b> {
    /// The first line, from 1.
    first: usize,
    lines: Vec<&'b str>,
    /// Whether they differ only in white space.
    is_white_space: bool,
}

/// Finds the most similar lines, if any are similar enough.
pub(super) fn find<'b>(body: &'b str, old: &str) -> Option<Nearest<'b>> {
    let wanted: Vec<String> = old.trim_matches(['\r', '\n']).lines().map(dense).collect();
    let lines: Vec<&str> = body.lines().collect();
    let dense: Vec<String> = lines.iter().map(|line| dense(line)).collect();
    let long = wanted.len();
    if long == 0 || lines.len() < long || lines.len().saturating_mul(long) > LOOKS_MAX {
        return None;
    }
    let alike_at = |first: usize| -> f64 {
        let pairs = dense[first..first + long].iter().zip(&wanted);
        pairs.map(|(line, wanted)| alike(line, wanted)).sum::<f64>() / long as f64
    };
    let mut best = (0, 0.0);
    for first in 0..=lines.len() - long {
        let alike = alike_at(first);
        if alike > best.1 {
            best = (first, alike);
        }
    }
    let (first, alike) = best;
    let lines = lines[first..first + long].to_vec();
    let is_white_space = dense[first..first + long] == wanted;
    (alike >= ALIKE_MIN).then_some(Nearest { first: first + 1, lines, is_white_space })
}

/// A line with white space removed.
fn dense(line: &str) -> String {
    line.chars().filter(|character| !character.is_whitespace()).collect()
}

/// The common beginning and end of two lines, as a share of the longer one.
fn alike(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let same = |pair: &(u8, u8)| pair.0 == pair.1;
    let before = one.bytes().zip(other.bytes()).take_while(same).count();
    let rest = one.len().min(other.len()) - before;
    let after = one.bytes().rev().zip(other.bytes().rev()).take(rest).take_while(same).count();
    (before + after) as f64 / one.len().max(other.len()) as f64
}

impl fmt::Display for Nearest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.first + self.lines.len() - 1;
        if last == self.first {
            write!(formatter, "Nearest: line {last}")?;
        } else {
            write!(formatter, "Nearest: lines {}-{last}", self.first)?;
        }
        formatter.write_str(if self.is_white_space {
            " (differs in white space)."
        } else {
            "."
        })?;
        for (number, line) in (self.first..).zip(self.lines.iter().take(LINES_SHOWN)) {
            let shown: String = line.chars().take(CHARS_SHOWN).collect();
            write!(formatter, "\n{number}\t{shown}")?;
        }
        Ok(())
    }
}
