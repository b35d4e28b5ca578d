//! Decides whether a prompt is about this repository: the sum of its features ([`crate::evidence`]) times their weights
//! ([`crate::weights`]).
//!
//! Not here: the features, and the weights.

use crate::evidence::{CODE, Evidence, Said, look};
use crate::vocabulary::Vocabulary;
use crate::weights;

/// Minimum weight of a prompt about the repository.
const ENOUGH: f64 = 0.0;
/// The same if the lexicon alone says that it is about code: only strong counter-evidence outweighs that.
const ENOUGH_WITH_LEXICON: f64 = -1.2;
/// Maximum reported weight of a Chinese term that the repository has.
const CHINESE: f64 = 0.5;

/// The features of a prompt, sorted by name: the input for fitting the weights.
pub(crate) fn seen(text: &str, said: Said<'_>, known: &Vocabulary) -> Vec<(String, f64)> {
    let Evidence { counts, words, .. } = look(text, said, known);
    let counts = counts.into_iter().filter(|(_, count)| *count != 0.0);
    let mut seen: Vec<(String, f64)> =
        counts.map(|(name, count)| (name.to_owned(), count)).collect();
    seen.extend(words.into_iter().map(|name| (name, 1.0)));
    seen
}

/// The words by which the prompt is about the repository, with their weights; `None` if it is about something else.
pub(crate) fn weigh(text: &str, said: Said<'_>, known: &Vocabulary) -> Option<Vec<(String, f64)>> {
    let evidence = look(text, said, known);
    let counts: f64 = evidence.counts.iter().map(|(name, count)| weights::of(name) * count).sum();
    let words: f64 = evidence.words.iter().map(|name| weights::of(name)).sum();
    let is_said = said.words + said.shape >= CODE;
    if counts + words < if is_said { ENOUGH_WITH_LEXICON } else { ENOUGH } {
        return None;
    }
    let mut known = evidence.known;
    if evidence.chinese > 0 {
        known.push(("编程术语".to_owned(), CHINESE * evidence.chinese.min(2) as f64));
    }
    Some(known)
}
