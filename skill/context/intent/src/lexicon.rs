//! What the words of a prompt mean for the verdict: a table of words and phrases, both languages in
//! one map, looked up longest first. English endings are taken off, so one entry serves all forms.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::question::Question;
use crate::token::{Kind, Token, tokens};
use crate::{chinese, english};

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Said of software only.
    Software,
    /// Mostly said of software.
    Term,
    /// Said of software and of much else.
    Vague,
    /// Code is to be changed.
    Modify,
    /// Code is to be changed, and nothing else can be meant.
    Rework,
    /// Something is broken, or is to be found.
    Debug,
    /// Something is to be explained.
    Ask,
    /// How the code came about.
    History,
    /// About this repository, or an explicit wish for its context.
    Explicit,
    /// About life outside.
    Everyday,
    /// A question for tier 2.
    Deep(Question),
    /// The user allows deep analysis.
    Consent,
    /// Nothing; it only hides the shorter entries within it.
    Nothing,
}

/// A word or phrase of the prompt that the table knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spoken {
    pub(crate) text: String,
    pub(crate) sense: Sense,
}

/// How many entries the table has room for at once: more than there are.
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

/// What the table knows of a text, in the text's order.
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

/// The longest phrase at the beginning; how many tokens it has.
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

/// The entry of a phrase, or of the phrase with the ending of its last word taken off.
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

/// The verb that a participle comes from: `add`, `cach(e)`, `debug(g)`.
fn inflected(stem: &str, direct: impl Fn(&str) -> Option<Sense>) -> Option<Sense> {
    let doubled = || {
        let mut last = stem.chars().rev();
        let double = last.next() == last.next();
        double.then(|| &stem[..stem.len() - 1]).filter(|_| stem.is_ascii())
    };
    direct(stem).or_else(|| direct(&format!("{stem}e"))).or_else(|| doubled().and_then(&direct))
}
