//! The text for a peer that only ranks files: the files in order, each with its lines
//! that contain words of the question, as a search prints them.

use std::collections::BTreeSet;

use super::tree::Source;
use super::words::identifiers;

/// How many files are shown with lines: each gets an equal share of the length.
const FILES: usize = 10;
/// Shorter words are too common.
const LETTERS_MIN: usize = 4;

/// At most `length` characters about the files of a ranking.
pub(super) fn of_ranking(
    sources: &[Source],
    ranking: &[String],
    query: &str,
    length: usize,
) -> String {
    let wanted: BTreeSet<String> = identifiers(query)
        .filter(|word| word.len() >= LETTERS_MIN)
        .map(str::to_lowercase)
        .collect();
    let mut text = String::new();
    for (number, path) in ranking.iter().take(FILES).enumerate() {
        text.push_str(path);
        text.push('\n');
        let room = length * (number + 1) / FILES;
        let source = sources.iter().find(|source| source.path == *path);
        let lines = source.map_or("", |source| source.text.as_str()).lines().enumerate();
        for (number, line) in lines.filter(|(_, line)| has_one(line, &wanted)) {
            let line = format!("  | {}: {}\n", number + 1, line.trim());
            if text.chars().count() + line.chars().count() > room {
                break;
            }
            text.push_str(&line);
        }
    }
    cut(&text, length)
}

/// The first characters of a text.
pub(super) fn cut(text: &str, length: usize) -> String {
    text.chars().take(length).collect()
}

fn has_one(line: &str, wanted: &BTreeSet<String>) -> bool {
    identifiers(line).any(|word| wanted.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stands_above_its_lines_that_have_words_of_the_question() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [source("a.py", "import os\ndef header(x):\n  pass\n"), source("b.py", "")];
        let ranking = ["a.py".to_owned(), "b.py".to_owned()];
        let text = of_ranking(&sources, &ranking, "The Header is lost", 1_000);
        assert_eq!(text, "a.py\n  | 2: def header(x):\nb.py\n");
        assert_eq!(of_ranking(&sources, &ranking, "The Header is lost", 7), "a.py\nb.");
    }
}
