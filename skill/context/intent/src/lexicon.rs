//! The meaning of a prompt's words for the decision: a table of words and phrases, both languages in
//! one map, looked up longest first. English endings are removed, so one entry serves all forms.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::question::Question;
use crate::token::{Kind, Token, tokens};
use crate::{chinese, english};

/// The meaning of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Used about software only.
    Software,
    /// Mostly used about software.
    Term,
    /// Used about software and many other things.
    Vague,
    /// A request to change code.
    Modify,
    /// A request to change code that cannot mean anything else.
    Rework,
    /// Something is broken, or has to be found.
    Debug,
    /// A request to explain something.
    Ask,
    /// History of the code.
    History,
    /// Refers to this repository, or explicitly requests its context.
    Explicit,
    /// An everyday topic.
    Everyday,
    /// A question that a tool of tier 2 answers.
    Deep(Question),
    /// The user allows deep analysis.
    Consent,
    /// No meaning; only hides the shorter entries within it.
    Nothing,
}

/// A word or phrase of the prompt that the table knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoken {
    pub(crate) text: String,
    pub(crate) sense: Sense,
}

/// Capacity of the table: more than the number of entries.
const ENTRIES: usize = 2_400;
/// The longest English phrase of the table, in words.
const WORDS_MAX: usize = 4;
/// The longest Chinese phrase of the table, in characters.
const CHARACTERS_MAX: usize = 6;

static TABLE: LazyLock<FxHashMap<&'static str, Sense>> = LazyLock::new(|| {
    let mut table = FxHashMap::default();
    table.reserve(ENTRIES);
    for (sense, words) in english::WORDS.iter().chain(chinese::WORDS) {
        for word in words.split(';').map(str::trim).filter(|word| !word.is_empty()) {
            table.insert(word, *sense);
        }
    }
    table
});

/// The known words and phrases of a text, in order.
pub(crate) fn spoken(text: &str) -> Vec<Spoken> {
    let lower = text.to_lowercase();
    let tokens = tokens(&lower);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += match token.kind {
            Kind::Stop => 1,
            Kind::Chinese => {
                speak_chinese(token.text, &mut found);
                1
            }
            Kind::Word => speak_words(&tokens[at..], &mut found),
        };
    }
    found
}

/// Finds the longest phrase at the beginning; returns its number of tokens.
fn speak_words(tokens: &[Token<'_>], found: &mut Vec<Spoken>) -> usize {
    let words = tokens.iter().take(WORDS_MAX).take_while(|token| token.kind == Kind::Word);
    let words: Vec<&str> = words.map(|token| token.text).collect();
    for length in (1..=words.len()).rev() {
        let phrase = words[..length].join(" ");
        if let Some(sense) = look_up(&phrase) {
            found.push(Spoken { text: phrase, sense });
            return length;
        }
    }
    let parts = || words[0].split(['/', '-', '.', ':']).filter(|part| part.len() > 1);
    if parts().nth(1).is_some() && words[0].is_ascii() {
        for part in parts() {
            found.extend(look_up(part).map(|sense| Spoken { text: part.to_owned(), sense }));
        }
    }
    1
}

fn speak_chinese(run: &str, found: &mut Vec<Spoken>) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let ends: Vec<usize> = rest
            .char_indices()
            .take(CHARACTERS_MAX)
            .map(|(index, char)| index + char.len_utf8())
            .collect();
        let hit = ends.iter().rev().find_map(|&end| Some((end, *TABLE.get(&rest[..end])?)));
        let step = match hit {
            Some((end, sense)) => {
                found.push(Spoken { text: rest[..end].to_owned(), sense });
                end
            }
            None => first.len_utf8(),
        };
        rest = &rest[step..];
    }
}

/// The entry of a phrase, or of the phrase without the ending of its last word.
fn look_up(phrase: &str) -> Option<Sense> {
    let direct = |phrase: &str| TABLE.get(phrase).copied();
    let stem = |ending: &str| phrase.strip_suffix(ending).filter(|stem| stem.len() > 2);
    direct(phrase)
        .or_else(|| stem("'s").and_then(direct))
        .or_else(|| stem("s").and_then(direct))
        .or_else(|| stem("es").and_then(direct))
        .or_else(|| stem("ies").and_then(|stem| direct(&format!("{stem}y"))))
        .or_else(|| stem("ed").and_then(|stem| inflected(stem, direct)))
        .or_else(|| stem("ing").and_then(|stem| inflected(stem, direct)))
}

/// The verb of a participle: `add`, `cach(e)`, `debug(g)`.
fn inflected(stem: &str, direct: impl Fn(&str) -> Option<Sense>) -> Option<Sense> {
    let doubled = || {
        let mut last = stem.chars().rev();
        let double = last.next() == last.next();
        double.then(|| &stem[..stem.len() - 1]).filter(|_| stem.is_ascii())
    };
    direct(stem).or_else(|| direct(&format!("{stem}e"))).or_else(|| doubled().and_then(&direct))
}
