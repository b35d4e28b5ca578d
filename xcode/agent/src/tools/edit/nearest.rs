//! The lines of a file that are most like a text which is not in it. They are named, never changed.

use std::fmt;

/// The most line comparisons; a file and a text for which there were more are not searched.
const LOOKS_MAX: usize = 4_000_000;

/// How alike lines must be to be told, from 0 to 1: less than half is another text.
const ALIKE_MIN: f64 = 0.5;

/// The most lines that are shown, and the most characters of each.
const LINES_SHOWN: usize = 12;
const CHARS_SHOWN: usize = 200;

/// Lines that are nearly the text.
#[derive(Debug)]
pub(super) struct Nearest<'b> {
    /// From 1.
    first: usize,
    lines: Vec<&'b str>,
    /// They are the text but for white space.
    is_white_space: bool,
}

/// Finds them, if any are alike.
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

/// A line without white space.
fn dense(line: &str) -> String {
    line.chars().filter(|character| !character.is_whitespace()).collect()
}

/// What two lines have in common where they begin and end, of the longer.
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
