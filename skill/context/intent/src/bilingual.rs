//! Chinese words of programming and what they are called in code. The table is data, read only when
//! a question is Chinese. No sentence is translated: only words are found.

use crate::words::is_cjk;

/// One line a term: the Chinese words, separated by blanks; a tab; the English ones.
const TABLE: &str = include_str!("bilingual.tsv");

/// The longest term, in characters.
const MAX_LETTERS: usize = 8;

/// The concepts of the Chinese parts of a text: each the words that it may be called in code, and what
/// it counts. Longer terms win over the shorter ones inside of them.
pub fn concepts(text: &str) -> Vec<(Vec<&'static str>, f32)> {
    let letters: Vec<char> = text.chars().collect();
    if !letters.iter().any(|letter| is_cjk(*letter)) {
        return Vec::new();
    }
    let table = table();
    let mut found: Vec<(Vec<&'static str>, f32)> = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let longest = (2..=MAX_LETTERS.min(letters.len() - at)).rev().find_map(|length| {
            let term: String = letters[at..at + length].iter().collect();
            table.get(term.as_str()).map(|words| (length, words))
        });
        let Some((length, words)) = longest else {
            at += 1;
            continue;
        };
        at += length;
        // A longer term is rarely there by chance.
        let weight = 0.8 + 0.15 * (length.min(4) as f32 - 2.0);
        match found.iter_mut().find(|(known, _)| known == words) {
            Some((_, known)) => *known += weight * 0.3,
            None if !words.is_empty() => found.push((words.clone(), weight)),
            None => {}
        }
    }
    found
}

fn table() -> rustc_hash::FxHashMap<&'static str, Vec<&'static str>> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once('\t')).flat_map(|(terms, words)| {
        terms
            .split(' ')
            .map(move |term| (term, words.split(' ').filter(|word| !word.is_empty()).collect()))
    });
    entries.collect()
}
