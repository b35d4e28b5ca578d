//! The one search for every keyword at once. It takes microseconds to make, which an automaton of as many
//! words does not, and looks at a text as fast. Not here: what a keyword means.

use std::ops::Range;

/// A keyword somewhere in a text.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hit {
    pub(crate) end: usize,
    pub(crate) start: usize,
    pub(crate) keyword: usize,
}

/// Words to look for, whatever their case.
pub(crate) struct Keywords {
    /// Sorted, in lower case. A keyword's position is its number.
    words: Vec<&'static str>,
    beginnings: Beginnings,
}

/// Which keywords begin with two bytes: two look-ups say at nearly every place of a text that none does.
struct Beginnings {
    /// By the first byte in lower case: its row of `ranges`, or [`NO_ROW`].
    rows: [u8; 256],
    /// Keywords as ranges of their numbers, row by row, by the second byte in lower case.
    ranges: Vec<[Numbers; 256]>,
    /// Keywords of one byte, by row.
    single: Vec<Option<u16>>,
}

/// Keywords from the first number up to the second, which is not among them.
type Numbers = (u16, u16);

/// No keyword begins with the byte.
const NO_ROW: u8 = u8::MAX;

impl Keywords {
    /// Of words in lower case, sorted, each once.
    pub(crate) fn of(words: Vec<&'static str>) -> Self {
        Self { beginnings: Beginnings::of(&words), words }
    }

    /// Every place of every keyword, whatever its case and whatever it overlaps: by the end, the longest
    /// first.
    pub(crate) fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        for (start, first) in bytes.iter().enumerate() {
            let (single, longer) = self.beginnings.at(*first, bytes.get(start + 1));
            if let Some(keyword) = single {
                hits.push(Hit { end: start + 1, start, keyword: usize::from(keyword) });
            }
            if longer.is_empty() {
                continue;
            }
            // Most words part at the third byte.
            let third = bytes.get(start + 2).map(u8::to_ascii_lowercase);
            for keyword in longer.map(usize::from) {
                let wanted = self.words[keyword].as_bytes();
                if wanted.get(2).is_some_and(|byte| third != Some(*byte)) {
                    continue;
                }
                let end = start + wanted.len();
                if bytes.get(start..end).is_some_and(|here| here.eq_ignore_ascii_case(wanted)) {
                    hits.push(Hit { end, start, keyword });
                }
            }
        }
        hits.sort_unstable();
        hits
    }
}

impl Beginnings {
    /// Of keywords that are sorted.
    fn of(words: &[&'static str]) -> Self {
        let mut beginnings = Self { rows: [NO_ROW; 256], ranges: Vec::new(), single: Vec::new() };
        for (number, keyword) in words.iter().enumerate() {
            let number = u16::try_from(number).expect("there are some hundred keywords");
            let [first, rest @ ..] = keyword.as_bytes() else { continue };
            let row = &mut beginnings.rows[usize::from(*first)];
            if *row == NO_ROW {
                *row =
                    u8::try_from(beginnings.ranges.len()).expect("fewer than the bytes there are");
                beginnings.ranges.push([(0, 0); 256]);
                beginnings.single.push(None);
            }
            let row = usize::from(*row);
            match rest.first() {
                None => beginnings.single[row] = Some(number),
                Some(second) => {
                    let range = &mut beginnings.ranges[row][usize::from(*second)];
                    range.0 = if range.1 == 0 { number } else { range.0 };
                    range.1 = number + 1;
                }
            }
        }
        beginnings
    }

    /// The keywords that may stand where a text goes on with `first` and `second`.
    fn at(&self, first: u8, second: Option<&u8>) -> (Option<u16>, Range<u16>) {
        let row = self.rows[usize::from(first.to_ascii_lowercase())];
        if row == NO_ROW {
            return (None, 0..0);
        }
        let row = usize::from(row);
        let (from, to) =
            second.map_or((0, 0), |byte| self.ranges[row][usize::from(byte.to_ascii_lowercase())]);
        (self.single[row], from..to)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::prefilter;

    proptest! {
        /// Looking at the beginnings finds what looking everywhere for each keyword finds.
        #[test]
        fn every_keyword_is_found_wherever_it_stands(
            parts in vec((any::<Index>(), ".{0,6}", any::<bool>()), 0..12),
        ) {
            let keywords = prefilter::keywords();
            let text: String = parts
                .iter()
                .map(|(keyword, between, is_upper)| {
                    let keyword = keywords.words[keyword.index(keywords.words.len())];
                    let keyword =
                        if *is_upper { keyword.to_uppercase() } else { keyword.to_owned() };
                    format!("{keyword}{between}")
                })
                .collect();
            let lower = text.to_ascii_lowercase();
            let mut everywhere = Vec::new();
            for (keyword, wanted) in keywords.words.iter().enumerate() {
                let starts = (0..lower.len())
                    .filter(|at| lower.as_bytes()[*at..].starts_with(wanted.as_bytes()));
                everywhere.extend(starts.map(|start| Hit { end: start + wanted.len(), start, keyword }));
            }
            everywhere.sort_unstable();
            prop_assert_eq!(keywords.hits(&text), everywhere);
        }
    }
}
