//! Chinese terms of programming and their names in code. The table is data, read only for
//! a Chinese question. Sentences are not translated: only words are found.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::words::is_cjk;

/// One term per line: the Chinese words, separated by blanks; a tab; the English ones.
const TABLE: &str = include_str!("bilingual.tsv");
/// The same for everyday words. They only count if the repository has one of the English words.
const ORDINARY: &str = include_str!("ordinary.tsv");

/// Chinese words and their names in code.
type Table = FxHashMap<&'static str, Vec<&'static str>>;

static TERMS: LazyLock<Table> = LazyLock::new(|| table(TABLE));
static THINGS: LazyLock<Table> = LazyLock::new(|| table(ORDINARY));

/// The longest term, in characters.
const MAX_LETTERS: usize = 8;

/// The concepts of the Chinese parts of a text: each with its possible names in code, and its
/// weight. Longer terms take precedence over shorter ones within them.
pub fn concepts(text: &str) -> Vec<(Vec<&'static str>, f32)> {
    let mut found: Vec<(Vec<&'static str>, f32)> = Vec::new();
    for term in terms(text, |term| TERMS.contains_key(term)) {
        let words = &TERMS[term];
        // A longer term rarely occurs by chance.
        let weight = 0.8 + 0.15 * (term.chars().count().min(4) as f32 - 2.0);
        match found.iter_mut().find(|(known, _)| known == words) {
            Some((_, known)) => *known += weight * 0.3,
            None if !words.is_empty() => found.push((words.clone(), weight)),
            None => {}
        }
    }
    found
}

/// The possible names in code of the Chinese words of a text, everyday words included: one list per word. Longer words
/// take precedence over shorter ones within them.
pub(crate) fn things(text: &str) -> Vec<Vec<&'static str>> {
    let tables: [&LazyLock<Table>; 2] = [&TERMS, &THINGS];
    let mut found: Vec<Vec<&'static str>> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for term in terms(text, |term| tables.iter().any(|table| table.contains_key(term))) {
        let words: Vec<&str> =
            tables.iter().filter_map(|table| table.get(term)).flatten().copied().collect();
        if !words.is_empty() && !seen.contains(&term) {
            seen.push(term);
            found.push(words);
        }
    }
    found
}

/// The known terms of a text in order, each the longest that begins at its position. A term begins with a Chinese
/// character, so nothing is looked up at any other.
fn terms(text: &str, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
    if !text.chars().any(is_cjk) {
        return Vec::new();
    }
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < ends.len() {
        if !text[ends[at]..].starts_with(is_cjk) {
            at += 1;
            continue;
        }
        let lengths = (2..=MAX_LETTERS.min(ends.len() - 1 - at)).rev();
        let mut longest = lengths.map(|length| (length, &text[ends[at]..ends[at + length]]));
        match longest.find(|(_, term)| is_known(term)) {
            Some((length, term)) => {
                found.push(term);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// The English words of a table, by the Chinese ones. A Chinese word may occur in several lines.
fn table(lines: &'static str) -> Table {
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    let mut table = Table::default();
    for (terms, words) in lines.filter_map(|line| line.split_once('\t')) {
        for term in terms.split(' ') {
            let known = table.entry(term).or_default();
            known.extend(words.split(' ').filter(|word| !word.is_empty()));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_ordinary_life_are_things_and_no_terms_of_programming() {
        let text = "订单 order 取消后库存没有恢复";
        let things = things(text);
        assert!(things.iter().any(|words| words.contains(&"inventory")), "{things:?}");
        assert!(things.iter().any(|words| words.contains(&"order")));
        assert!(!concepts(text).iter().any(|(words, _)| words.contains(&"inventory")));
        assert!(self::things("order, please").is_empty() && self::things("天").is_empty());
    }
}
