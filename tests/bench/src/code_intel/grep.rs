//! The baseline of an agent with grep: search for each identifier of the issue, and weight the files
//! by its rarity. Equivalent to `rg --count` for each word, without starting a process for each.

use std::collections::BTreeSet;

use super::bm25::best_first;
use super::tree::Source;
use super::words::{identifiers, is_code_like};

/// Shorter words are too common.
const LETTERS_MIN: usize = 3;

/// Ranks the files of a tree for a query: by whole identifiers that look like code, or, if the
/// query has none or is mostly in another script, by any ASCII word as a substring.
pub(super) fn rank(sources: &[Source], query: &str) -> Vec<String> {
    let words: BTreeSet<&str> =
        identifiers(query).filter(|word| word.len() >= LETTERS_MIN).collect();
    let code: Vec<&str> = words.iter().copied().filter(|word| is_code_like(word)).collect();
    let is_foreign =
        query.chars().filter(|letter| !letter.is_ascii()).count() * 4 > query.len() / 3;
    let files: Vec<String> = sources.iter().map(|source| source.path.clone()).collect();
    if !is_foreign && !code.is_empty() {
        return best_first(&files, &weigh(sources, &code, whole));
    }
    let ascii = ascii_words(query);
    let texts: Vec<Source> = sources
        .iter()
        .map(|source| Source {
            path: source.path.clone(),
            text: format!("{} {}", source.path, source.text).to_lowercase(),
        })
        .collect();
    let ascii: Vec<&str> = ascii.iter().map(String::as_str).collect();
    best_first(&files, &weigh(&texts, &ascii, |text, word| text.matches(word).count()))
}

/// ASCII words in lower case, also next to characters of other scripts.
fn ascii_words(query: &str) -> BTreeSet<String> {
    query
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'))
        .filter(|word| word.len() >= LETTERS_MIN)
        .map(str::to_lowercase)
        .collect()
}

/// The sum over the words of their rarity and, with a lower weight, their count.
fn weigh(sources: &[Source], words: &[&str], count: fn(&str, &str) -> usize) -> Vec<f64> {
    let mut scores = vec![0.0; sources.len()];
    for word in words {
        let counts: Vec<usize> = sources.iter().map(|source| count(&source.text, word)).collect();
        let with = counts.iter().filter(|count| **count > 0).count() as f64;
        let idf = (1.0 + sources.len() as f64 / with.max(1.0)).ln();
        for (score, count) in scores.iter_mut().zip(counts).filter(|(_, count)| *count > 0) {
            *score += idf * (1.0 + (count as f64).ln());
        }
    }
    scores
}

/// How often `word` occurs in `text` as a whole identifier.
fn whole(text: &str, word: &str) -> usize {
    let is_part = |letter: Option<char>| letter.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(word)
        .filter(|(at, _)| {
            !is_part(text[..*at].chars().next_back())
                && !is_part(text[at + word.len()..].chars().next())
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> [Source; 3] {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        [
            source("a.rs", "fn read_line() { read_lines() }"),
            source("b.rs", "read_line(); read_line()"),
            source("c.rs", "fn other()"),
        ]
    }

    #[test]
    fn identifiers_are_found_as_wholes() {
        assert_eq!(rank(&tree(), "calling read_line hangs"), ["b.rs", "a.rs"]);
        assert_eq!(rank(&tree(), "calling read_lines hangs"), ["a.rs"]);
    }

    #[test]
    fn foreign_prose_is_searched_by_its_ascii_parts() {
        assert_eq!(rank(&tree(), "调用Other时没有结果，需要修复"), ["c.rs"]);
    }
}
