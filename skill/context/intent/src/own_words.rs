//! Whether a prompt speaks of this repository: in the words of its paths and definitions, in words of
//! software, in Chinese terms of programming. Everyday words count less, and who speaks
//! of himself and of things that the repository does not know speaks of something else.
//!
//! All weights stand here. They were fitted on the part of `corpus/prompts.jsonl` that is not held back.

use crate::vocabulary::Vocabulary;
use crate::vocabulary::{chinese_terms, question_words, stem};
use orchestration::report::{Signal, SignalKind};

use crate::token::{Kind, tokens};
use crate::verdict::signal;

/// Stems of everyday English, sorted, one a line; made by `words/make.py`.
const EVERYDAY: &str = include_str!("../words/everyday.txt");
/// Stems of what is said of software, and not every day.
const SOFTWARE: &str = include_str!("../words/software.txt");

/// From this weight on, a prompt is about the repository.
const ENOUGH: f64 = 3.6;
/// So many words are read: the beginning says what is wanted.
const WORDS_MAX: usize = 24;
/// A smaller repository's words count as if it had so many sources: in a small one each word is rare.
const SOURCES_MIN: u32 = 60;
/// What a word of the repository's weighs, times how rare it is there, and how much all of them together.
const OWN: f64 = 1.1;
const OWN_MAX: f64 = 8.0;
/// How rare such a word is at most: alone it is not enough, whatever else speaks for code is.
const OWN_RARITY_MAX: f64 = 3.2;
/// The same for one that is an everyday word, too.
const SHARED: f64 = 0.7;
const SHARED_MAX: f64 = 8.0;
/// How rare such a word is at most: a name that only one of many sources has is there by chance.
const SHARED_RARITY_MAX: f64 = 3.0;
/// Of so many sources, one may have an everyday word by chance: a large repository names a few things after anything.
const CHANCE_SOURCES: u32 = 200;
/// What is left of such a word's weight.
const BY_CHANCE: f64 = 0.5;
/// What a word of software weighs, whatever the repository has.
const OF_SOFTWARE: f64 = 1.1;
const OF_SOFTWARE_MAX: f64 = 3.0;
/// What an everyday word weighs that the repository does not have; half of it where the repository has it by chance.
const STRANGE: f64 = -0.5;
const STRANGE_MAX: f64 = 4.0;
/// What a word for a person weighs: "my", "she".
const PERSON: f64 = -1.1;
const PERSON_MAX: f64 = 2.0;
/// What a Chinese term of programming weighs.
const CHINESE: f64 = 1.6;
const CHINESE_MAX: f64 = 3.0;
/// What the lexicon says, by so much, and when it says that the prompt is about life outside.
const SAID: f64 = 1.1;
const SAID_MAX: f64 = 1.2;
const OUTSIDE: f64 = -0.8;

const PERSONS: [&str; 17] = [
    "i", "me", "my", "mine", "you", "your", "we", "us", "our", "he", "she", "his", "her", "they",
    "them", "their", "myself",
];

/// What the lexicon makes of the same prompt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Said {
    /// The sum of its signals.
    pub(crate) weight: f64,
    /// Whether one of them speaks of life outside.
    pub(crate) is_outside: bool,
}

/// The signals that make the prompt one about the repository; `None` when they do not suffice.
pub(crate) fn weigh(text: &str, said: Said, known: &Vocabulary) -> Option<Vec<Signal>> {
    let sources = f64::from(known.sources().max(SOURCES_MIN));
    let mut signals = Vec::new();
    let (mut own, mut shared, mut of_software, mut strange) = (0.0, 0.0, 0.0, 0.0);
    let mut seen: Vec<&str> = Vec::new();
    let words = question_words(text, WORDS_MAX);
    for word in &words {
        let stem = stem(word);
        if seen.contains(&stem) {
            continue;
        }
        seen.push(stem);
        let (is_everyday, is_software) = (has(EVERYDAY, stem), has(SOFTWARE, stem));
        let count = known.sources_with(stem);
        let is_chance = is_everyday && count > 0 && count <= known.sources() / CHANCE_SOURCES;
        let rarity = match count {
            0 => 0.0,
            count => (1.0 + sources / f64::from(1 + count)).ln(),
        };
        let most = if is_everyday { SHARED_RARITY_MAX } else { OWN_RARITY_MAX };
        let rarity = f64::min(rarity, most) * if is_chance { BY_CHANCE } else { 1.0 };
        let weight = if is_everyday { SHARED } else { OWN } * rarity;
        *(if is_everyday { &mut shared } else { &mut own }) += rarity;
        if is_software {
            of_software += 1.0;
        } else if is_everyday && (count == 0 || is_chance) {
            strange += if is_chance { 1.0 - BY_CHANCE } else { 1.0 };
        }
        let weight = (weight + if is_software { OF_SOFTWARE } else { 0.0 }) / ENOUGH;
        if weight > 0.0 {
            signals.push(signal(SignalKind::Code, word, (weight * 100.0).round() / 100.0));
        }
    }
    let chinese = chinese_terms(text) as f64;
    if chinese > 0.0 {
        let weight = CHINESE * f64::min(chinese, CHINESE_MAX) / ENOUGH;
        signals.push(signal(SignalKind::Code, "编程术语", (weight * 100.0).round() / 100.0));
    }
    let total = OWN * f64::min(own, OWN_MAX)
        + SHARED * f64::min(shared, SHARED_MAX)
        + OF_SOFTWARE * f64::min(of_software, OF_SOFTWARE_MAX)
        + STRANGE * f64::min(strange, STRANGE_MAX)
        + PERSON * f64::min(persons(text), PERSON_MAX)
        + CHINESE * f64::min(chinese, CHINESE_MAX)
        + SAID * said.weight.clamp(0.0, SAID_MAX)
        + if said.is_outside { OUTSIDE } else { 0.0 };
    (total >= ENOUGH).then_some(signals)
}

/// How many words for persons there are.
fn persons(text: &str) -> f64 {
    let lower = text.to_ascii_lowercase();
    let is_person = |token: &crate::token::Token<'_>| {
        token.kind == Kind::Word && PERSONS.contains(&token.text.trim_end_matches('\''))
    };
    tokens(&lower).iter().filter(|token| is_person(token)).count() as f64
}

/// Whether a sorted list, one word a line, has a word.
fn has(list: &str, wanted: &str) -> bool {
    let bytes = list.as_bytes();
    let (mut low, mut high) = (0, bytes.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let before = bytes[low..middle].iter().rposition(|byte| *byte == b'\n');
        let begin = before.map_or(low, |at| low + at + 1);
        let length = bytes[begin..].iter().position(|byte| *byte == b'\n');
        let end = length.map_or(bytes.len(), |length| begin + length);
        match bytes[begin..end].cmp(wanted.as_bytes()) {
            std::cmp::Ordering::Less => low = end + 1,
            std::cmp::Ordering::Greater => high = begin,
            std::cmp::Ordering::Equal => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_every_word_is_found() {
        for list in [EVERYDAY, SOFTWARE] {
            let words: Vec<&str> = list.lines().collect();
            assert!(words.is_sorted() && words.len() > 500);
            assert!(words.iter().all(|word| has(list, word)));
        }
        // The lists hold stems, made elsewhere by the same rules.
        for word in ["kitchen", "weather", "evening", "ladies", "walking", "continued", "stopped"] {
            assert!(has(EVERYDAY, stem(word)), "{word}");
            assert!(!has(SOFTWARE, stem(word)), "{word}");
        }
        for word in ["plugin", "runtime", "async", "callbacks", "json"] {
            assert!(has(SOFTWARE, stem(word)) && !has(EVERYDAY, stem(word)), "{word}");
        }
        assert!(!has(EVERYDAY, "") && !has(EVERYDAY, "zzzz") && !has("", "a"));
    }
}
