//! Whether a prompt speaks of this repository: what is seen in it ([`crate::evidence`]), times what that weighs
//! ([`crate::weights`]).
//!
//! Absent: what is seen, and the weights.

use crate::evidence::{CODE, Evidence, Said, look};
use crate::vocabulary::Vocabulary;
use crate::weights;

/// From this weight on, a prompt is about the repository.
const ENOUGH: f64 = 0.0;
/// The same where the lexicon alone says that it is about code: only much against it outweighs that.
const ENOUGH_WITH_LEXICON: f64 = -1.2;
/// What one Chinese term that the repository has is reported as, at most.
const CHINESE: f64 = 0.5;

/// What is seen in a prompt, by name, in the order of the names: what the weights are fitted on.
pub(crate) fn seen(text: &str, said: Said<'_>, known: &Vocabulary) -> Vec<(String, f64)> {
    let Evidence { counts, words, .. } = look(text, said, known);
    let counts = counts.into_iter().filter(|(_, count)| *count != 0.0);
    let mut seen: Vec<(String, f64)> =
        counts.map(|(name, count)| (name.to_owned(), count)).collect();
    seen.extend(words.into_iter().map(|name| (name, 1.0)));
    seen
}

/// The words that make the prompt one about the repository, and how much each says; `None` when it is about something else.
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
