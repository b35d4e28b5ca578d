//! The sums that are built up while commits are read. They are sums of whole numbers, so that commits
//! that are added later count as if they had been read with the others.

use intent::terms::is_stop_word;
use intent::words::words;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::git::Message;

/// The count of a word that a commit of one file contains once. For a commit of n files it is divided by the
/// square root of n, since such a commit says less about each file.
pub(super) const ONCE: u32 = 32;
/// How often a word counts in one commit at most.
const TIMES_MAX: u32 = 2;
/// A commit of more files says nothing about any of them.
pub(super) const FILES_MAX: usize = 60;
/// From this length on, a word of hexadecimal digits is taken for a commit hash.
const HASH_BYTES: usize = 7;
/// The longest word that counts, in bytes; longer ones are data.
const WORD_MAX: usize = 32;

/// Word counts by word and file, and the files of each commit.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// The files, by number.
    pub(super) files: Vec<String>,
    /// The words, by number.
    pub(super) words: Vec<String>,
    /// By word and file, the word's count.
    pub(super) sums: FxHashMap<(u32, u32), u32>,
    /// The source files of each commit, ascending.
    pub(super) commits: Vec<Vec<u32>>,
    file_numbers: FxHashMap<String, u32>,
    word_numbers: FxHashMap<String, u32>,
}

impl Ledger {
    /// The number of a file; a new file gets the next one.
    pub(super) fn file(&mut self, path: &str) -> u32 {
        number(&mut self.file_numbers, &mut self.files, path)
    }

    /// The number of a word; a new word gets the next one.
    pub(super) fn word(&mut self, word: &str) -> u32 {
        number(&mut self.word_numbers, &mut self.words, word)
    }

    /// Adds a commit; only files for which `is_live` is true are kept.
    pub(super) fn add(&mut self, message: &Message<'_>, is_live: impl Fn(&str) -> bool) {
        let touched = message.files.len();
        if touched > FILES_MAX {
            return;
        }
        let live = message.files.iter().filter(|path| is_live(path));
        let mut files: Vec<u32> = live.map(|path| self.file(path)).collect();
        files.sort_unstable();
        files.dedup();
        if files.is_empty() {
            return;
        }
        let share = f64::from(ONCE) / (touched as f64).sqrt();
        for (word, times) in said(message.text) {
            let word = self.word(&word);
            let sum = (share * f64::from(times)).round().max(1.0) as u32;
            for file in &files {
                let total = self.sums.entry((word, *file)).or_default();
                *total = total.saturating_add(sum);
            }
        }
        self.commits.push(files);
    }
}

fn number(numbers: &mut FxHashMap<String, u32>, names: &mut Vec<String>, name: &str) -> u32 {
    if let Some(number) = numbers.get(name) {
        return *number;
    }
    let number = names.len() as u32;
    names.push(name.to_owned());
    numbers.insert(name.to_owned(), number);
    number
}

/// The words of a message with their counts, in the order of the text.
fn said(text: &str) -> Vec<(String, u32)> {
    let mut found: Vec<(String, u32)> = Vec::new();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let mut dull: FxHashSet<String> = FxHashSet::default();
    for line in text.lines().filter(|line| !is_trailer(line)) {
        words(line.as_bytes(), |word, _| {
            let Ok(word) = std::str::from_utf8(word) else { return };
            if let Some(place) = places.get(word) {
                let times = &mut found[*place].1;
                *times = (*times + 1).min(TIMES_MAX);
            } else if !dull.contains(word) {
                if word.len() > WORD_MAX || is_hash(word) || is_stop_word(word) {
                    dull.insert(word.to_owned());
                } else {
                    places.insert(word.to_owned(), found.len());
                    found.push((word.to_owned(), 1));
                }
            }
        });
    }
    found
}

fn is_hash(word: &str) -> bool {
    word.len() >= HASH_BYTES
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Whether a line names people: `Signed-off-by: A <a@example.com>`.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(label, _)| {
        label.to_ascii_lowercase().ends_with("-by") && !label.contains(' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_says_less_of_each_file_the_more_it_touched() {
        let mut ledger = Ledger::default();
        let files = ["a.rs", "b.rs", "b.rs", "README.md"].to_vec();
        let text =
            "Parse the header\n\nparse it, parse it again (1a2b3c4d5)\nSigned-off-by: Header <x@y>";
        ledger.add(&Message { text, files }, |path| path.ends_with(".rs"));
        ledger
            .add(&Message { text: "Drop it", files: vec!["gone.txt"] }, |path| path != "gone.txt");
        assert_eq!(ledger.files, ["a.rs", "b.rs"]);
        assert_eq!(ledger.words, ["parse", "header"]);
        let sum = |word, file| ledger.sums[&(word, file)];
        assert_eq!([sum(0, 0), sum(0, 1), sum(1, 0), sum(1, 1)], [ONCE, ONCE, ONCE / 2, ONCE / 2]);
        assert_eq!(ledger.commits, [[0, 1]]);
        let many: Vec<String> = (0..=FILES_MAX).map(|number| format!("{number}.rs")).collect();
        let files = many.iter().map(String::as_str).collect();
        ledger.add(&Message { text: "Move everything", files }, |_| true);
        assert_eq!(ledger.commits.len(), 1);
    }
}
