//! What changed between the advice of two rounds: a comparison of texts, without a judgement. A text is unchanged
//! if equal, reworded if at least 60 % of the words are common, and otherwise removed or new.

use contract::advice::{Advice, Confidence};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_segmentation::UnicodeSegmentation as _;

/// The lowest share of common words at which two texts count as reworded, in per cent.
const COMMON_LEAST: usize = 60;
/// The most pairs of texts that are compared word by word; advice has some dozens.
const PAIRS_MAX: usize = 2_500;
/// The most words and separators of a text that is compared word by word; a text of advice has some hundreds.
const WORDS_MAX: usize = 3_000;

/// The changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changes<'a> {
    /// The preferred plan before and after.
    pub(crate) plan: (&'a str, &'a str),
    /// The advisor's confidence before and after.
    pub(crate) confidence: (Confidence, Confidence),
    pub(crate) alternatives: Vec<Change>,
    pub(crate) questions: Vec<Change>,
    pub(crate) assumptions: Vec<Change>,
}

/// The change of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Kept(String),
    Gone(String),
    New(String),
    Reworded(Vec<Piece>),
}

/// A part of a reworded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Same(String),
    Gone(String),
    New(String),
}

impl<'a> Changes<'a> {
    pub(crate) fn between(before: &'a Advice, after: &'a Advice) -> Self {
        let (old, new) = (&before.recommendation, &after.recommendation);
        let alternatives = |advice: &Advice| -> Vec<String> {
            let text = |each: &contract::advice::Alternative| {
                format!("{}: {}", each.name, each.description)
            };
            advice.alternatives.iter().map(text).collect()
        };
        let assumptions = |advice: &Advice| -> Vec<String> {
            advice.assumption_check.iter().map(|each| each.text.clone()).collect()
        };
        Self {
            plan: (&old.preferred_plan, &new.preferred_plan),
            confidence: (old.confidence, new.confidence),
            alternatives: compare(&alternatives(before), &alternatives(after)),
            questions: compare(&before.clarifying_questions, &after.clarifying_questions),
            assumptions: compare(&assumptions(before), &assumptions(after)),
        }
    }
}

/// The changes of the texts: those of `after` in order, then the removed ones.
fn compare(before: &[String], after: &[String]) -> Vec<Change> {
    let mut left: Vec<Option<&String>> = before.iter().map(Some).collect();
    let mut changes: Vec<Option<Change>> = vec![None; after.len()];
    for (change, text) in changes.iter_mut().zip(after) {
        if let Some(found) = left.iter_mut().find(|old| **old == Some(text)) {
            *found = None;
            *change = Some(Change::Kept(text.clone()));
        }
    }
    for (old, new) in reworded(&left, after, &changes) {
        if let (Some(before), None) = (left[old], &changes[new]) {
            changes[new] = Some(Change::Reworded(pieces(before, &after[new])));
            left[old] = None;
        }
    }
    let stayed = changes.into_iter().zip(after);
    let stayed = stayed.map(|(change, text)| change.unwrap_or_else(|| Change::New(text.clone())));
    let gone = left.into_iter().flatten().map(|text| Change::Gone(text.clone()));
    stayed.chain(gone).collect()
}

/// The index pairs with enough common words, those with most first.
fn reworded(
    left: &[Option<&String>],
    after: &[String],
    changes: &[Option<Change>],
) -> Vec<(usize, usize)> {
    let open = |list: Vec<(usize, &String)>| -> Vec<(usize, Vec<String>)> {
        let short = |text: &str| text.split_word_bounds().take(WORDS_MAX + 1).count() <= WORDS_MAX;
        let sorted = list.into_iter().filter(|(_, text)| short(text));
        let sorted = sorted.map(|(place, text)| (place, sorted_words(text)));
        sorted.filter(|(_, words)| !words.is_empty()).collect()
    };
    let old = left.iter().enumerate().filter_map(|(place, text)| Some((place, (*text)?)));
    let new = after.iter().enumerate().filter(|(place, _)| changes[*place].is_none());
    let (old, new) = (open(old.collect()), open(new.collect()));
    if old.len() * new.len() > PAIRS_MAX {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for (from, before) in &old {
        for (to, after) in &new {
            let share = 200 * common(before, after) / (before.len() + after.len());
            if share >= COMMON_LEAST {
                pairs.push((share, *from, *to));
            }
        }
    }
    pairs.sort_by_key(|(share, from, to)| (std::cmp::Reverse(*share), *from, *to));
    pairs.into_iter().map(|(_, from, to)| (from, to)).collect()
}

fn sorted_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    words.sort_unstable();
    words
}

/// The number of common words of two sorted lists.
fn common(before: &[String], after: &[String]) -> usize {
    let (mut at, mut common) = (0, 0);
    for word in before {
        at += after[at..].iter().take_while(|other| *other < word).count();
        if after.get(at) == Some(word) {
            (at, common) = (at + 1, common + 1);
        }
    }
    common
}

/// A word diff. A space between two changed words belongs to the change.
fn pieces(before: &str, after: &str) -> Vec<Piece> {
    let old: Vec<&str> = before.split_word_bounds().collect();
    let new: Vec<&str> = after.split_word_bounds().collect();
    let (mut pieces, mut gone, mut added) = (Vec::new(), String::new(), String::new());
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let same = match operation.tag() {
            DiffTag::Equal => new[operation.new_range()].concat(),
            _ => String::new(),
        };
        let is_changed = !(gone.is_empty() && added.is_empty());
        if same.is_empty() || (is_changed && same.trim().is_empty()) {
            gone += &old[operation.old_range()].concat();
            added += &new[operation.new_range()].concat();
        } else {
            flush(&mut gone, &mut added, &mut pieces);
            pieces.push(Piece::Same(same));
        }
    }
    flush(&mut gone, &mut added, &mut pieces);
    pieces
}

fn flush(gone: &mut String, added: &mut String, pieces: &mut Vec<Piece>) {
    let change = [(Piece::Gone as fn(String) -> Piece, gone), (Piece::New, added)];
    let change = change.map(|(kind, text)| kind(std::mem::take(text)));
    let is_empty = |piece: &Piece| matches!(piece, Piece::Same(text) | Piece::Gone(text) | Piece::New(text) if text.is_empty());
    pieces.extend(change.into_iter().filter(|piece| !is_empty(piece)));
}

#[cfg(test)]
mod tests {
    use super::{Change, Piece, compare};

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn texts_are_kept_reworded_new_or_gone() {
        let before = texts(&[
            "The queue is small",
            "How many old writers are there on the table?",
            "Nothing else uses the table",
        ]);
        let after = texts(&[
            "How many writing programs are there on the table today?",
            "Nothing else uses the table",
            "Who runs the backup?",
        ]);
        let reworded = vec![
            Piece::Same("How many ".to_owned()),
            Piece::Gone("old writers".to_owned()),
            Piece::New("writing programs".to_owned()),
            Piece::Same(" are there on the table".to_owned()),
            Piece::New(" today".to_owned()),
            Piece::Same("?".to_owned()),
        ];
        let expected = [
            Change::Reworded(reworded),
            Change::Kept(after[1].clone()),
            Change::New(after[2].clone()),
            Change::Gone(before[0].clone()),
        ];
        assert_eq!(compare(&before, &after), expected);
    }

    #[test]
    fn three_of_five_words_in_common_are_enough_and_fewer_are_not() {
        let count = |before: &str, after: &str| {
            let changes = compare(&texts(&[before]), &texts(&[after]));
            changes.iter().filter(|change| matches!(change, Change::Reworded(_))).count()
        };
        assert_eq!(count("a b c d e", "a b c x y"), 1);
        assert_eq!(count("a b c d e", "a b w x y"), 0);
        assert_eq!(count("A B C", "a, b; c!"), 1);
        assert_eq!(count("每个请求都要写库", "每个请求只要读库"), 1);
        assert_eq!(count("每个请求都要写库", "今天天气很不错吗"), 0);
        assert_eq!(count("", "?"), 0);
    }

    #[test]
    fn the_pair_with_most_words_in_common_is_taken_and_a_text_has_one_partner() {
        let before = texts(&["a b c d e", "a b c d e f"]);
        let after = texts(&["a b c d e g", "a b c d e f h"]);
        let changes = compare(&before, &after);
        assert!(changes.iter().all(|change| matches!(change, Change::Reworded(_))), "{changes:?}");
        assert_eq!(changes.len(), 2);
    }

    #[test]
    fn a_flood_of_texts_is_told_without_a_diff() {
        let many = |mark: &str| (0..60).map(|n| format!("one two three {mark} {n}")).collect();
        let (before, after): (Vec<String>, Vec<String>) = (many("x"), many("y"));
        let changes = compare(&before, &after);
        assert_eq!(changes.len(), 120);
        assert!(!changes.iter().any(|change| matches!(change, Change::Reworded(_))));
        let long = "word ".repeat(20_000);
        assert_eq!(compare(std::slice::from_ref(&long), &[format!("{long}x")]).len(), 2);
    }
}
