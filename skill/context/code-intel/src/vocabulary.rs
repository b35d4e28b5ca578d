//! A repository's own words: what its paths and definitions are called, and in how many of its sources.
//! They lie in one small file beside the index, as hashes, so that whether a prompt speaks of this
//! repository is known without the index and without a look at the tree. What a repository calls its
//! files can be said of a prompt by this, and nothing else.
//!
//! Absent: which words count how much.

use std::io::{self, Read as _};
use std::path::Path;

use rustc_hash::FxHashMap;

use crate::answer::INDEX_VERSION;
use crate::bilingual;
use crate::index::bytes::{u32_at, u64_at};
use crate::index::draft::content_hash;
use crate::index::store::Store;
use crate::paths;
use crate::rank::terms;
use crate::view::View;
use crate::words::words;

const MAGIC: &[u8; 8] = b"ci-words";
/// Magic, version, checksum; then, checksummed, generation, files, sources and four bytes of nothing.
const HEADER_BYTES: usize = 16 + 8 + 12;
/// One entry: six bytes of a hash, and the count above them.
const ENTRY_BYTES: usize = 8;
/// How many bits of an entry are its hash.
const HASH_BITS: u32 = 48;
/// The most words that are kept; the ones of the sources that come first.
const WORDS_MAX: usize = 1 << 17;
/// The shortest word, in bytes.
const WORD_BYTES_MIN: usize = 3;
/// Of fewer words than this, a new file is made whenever the index changed.
const FEW_WORDS: usize = 4_096;
/// Of more words, one is made when so many files of the index, one in so many, came or went.
const FILES_PART: u32 = 32;

/// The words of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The file's content, checked.
    bytes: Vec<u8>,
}

impl Vocabulary {
    /// The words of `root`, whose index lies below `cache`; `None` when there is no index yet, or when
    /// the file is damaged or not this user's alone. The tree is not looked at.
    #[must_use]
    pub fn of(root: &Path, cache: &Path) -> Option<Self> {
        Self::read(&Store::new(cache, root)).ok().flatten()
    }

    /// A vocabulary of so many sources: words as [`stem`] leaves them, each with how many of the sources
    /// have it.
    #[must_use]
    pub fn new<'w>(sources: u32, words: impl IntoIterator<Item = (&'w str, u32)>) -> Self {
        let counts = words.into_iter().map(|(word, count)| (hash(word), count));
        Self::encode(0, 0, sources, counts.take(WORDS_MAX).collect())
    }

    /// How many sources there are: files with definitions that are no tests, examples or others' code.
    #[must_use]
    pub fn sources(&self) -> u32 {
        u32_at(&self.bytes, 28)
    }

    /// In how many sources a word is a part of the path or of a definition's name; at most 65,535.
    #[must_use]
    pub fn sources_with(&self, stem: &str) -> u32 {
        let wanted = hash(stem);
        let entries = &self.bytes[HEADER_BYTES..];
        let at = |number: usize| u64_at(entries, number * ENTRY_BYTES);
        let (mut low, mut high) = (0, entries.len() / ENTRY_BYTES);
        while low < high {
            let middle = low + (high - low) / 2;
            let entry = at(middle);
            match (entry >> (64 - HASH_BITS)).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return (entry & 0xffff) as u32,
            }
        }
        0
    }

    /// Makes the file anew where it does not fit the index any more. That it cannot be written is no
    /// reason to have no answer.
    pub(crate) fn keep_up(view: &View, store: &Store) {
        let manifest = view.manifest();
        let files = view.files().count() as u32;
        let fits = |known: &Self| {
            let drift = u32_at(&known.bytes, 24).abs_diff(files);
            let few = known.bytes.len() < HEADER_BYTES + FEW_WORDS * ENTRY_BYTES;
            u64_at(&known.bytes, 16) == manifest.generation
                || (!few && drift <= files / FILES_PART && manifest.pending == 0)
        };
        let known = Self::read(store).ok().flatten();
        if !known.as_ref().is_some_and(fits) {
            let words = Self::of_view(view, manifest.generation, files);
            let _ = store.write_words(&words.bytes);
        }
    }

    fn of_view(view: &View, generation: u64, files: u32) -> Self {
        let is_source = |file: &crate::view::File<'_>| {
            let own = !paths::is_example(file.path) && !paths::is_foreign(file.path);
            file.language.is_some() && !file.is_test && own
        };
        // By hash: in how many sources, and the last of them.
        let mut counts: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
        let mut sources = 0;
        for file in view.files().filter(is_source) {
            sources += 1;
            let mut add = |text: &str| {
                words(text.as_bytes(), |word, _| {
                    let Ok(word) = std::str::from_utf8(word) else { return };
                    let full = counts.len() >= WORDS_MAX;
                    let stem = terms::stem(word);
                    if word.len() < WORD_BYTES_MIN || (full && !counts.contains_key(&hash(stem))) {
                        return;
                    }
                    let (count, last) = counts.entry(hash(stem)).or_default();
                    if *last != sources {
                        (*count, *last) = (*count + 1, sources);
                    }
                });
            };
            add(file.path.rsplit_once('.').map_or(file.path, |(stem, _)| stem));
            let (segment, record) = view.record(file.id);
            for unit in record.first_unit + 1..record.first_unit + record.unit_count {
                add(segment.name(segment.unit(unit).name));
            }
        }
        let counts = counts.into_iter().map(|(hash, (count, _))| (hash, count)).collect();
        Self::encode(generation, files, sources, counts)
    }

    fn encode(generation: u64, files: u32, sources: u32, counts: Vec<(u64, u32)>) -> Self {
        let entry =
            |(hash, count): (u64, u32)| hash << (64 - HASH_BITS) | u64::from(count.min(0xffff));
        let mut entries: Vec<u64> = counts.into_iter().map(entry).collect();
        entries.sort_unstable();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + entries.len() * ENTRY_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&INDEX_VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&generation.to_le_bytes());
        bytes.extend_from_slice(&files.to_le_bytes());
        bytes.extend_from_slice(&sources.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        Self { bytes }
    }

    fn read(store: &Store) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let longest = HEADER_BYTES + WORDS_MAX * ENTRY_BYTES;
        store.open_words()?.take(longest as u64 + 1).read_to_end(&mut bytes)?;
        let sound = (HEADER_BYTES..=longest).contains(&bytes.len())
            && bytes.starts_with(MAGIC)
            && u32_at(&bytes, 8) == INDEX_VERSION
            && u32_at(&bytes, 12) == crc32fast::hash(&bytes[16..]);
        Ok(sound.then_some(Self { bytes }))
    }
}

/// The words of a question that say something, the first `most` of them: in lower case, of three letters
/// or more, each once. Names of several words come in their parts and whole.
#[must_use]
pub fn question_words(text: &str, most: usize) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    words(text.as_bytes(), |word, _| {
        let Ok(word) = std::str::from_utf8(word) else { return };
        let says = word.len() >= WORD_BYTES_MIN && word.is_ascii() && !terms::is_stop_word(word);
        if found.len() < most && says && !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    });
    found
}

/// A word without its ending, as the vocabulary knows it.
#[must_use]
pub fn stem(word: &str) -> &str {
    terms::stem(word)
}

/// How many Chinese terms of programming a text has.
#[must_use]
pub fn chinese_terms(text: &str) -> usize {
    bilingual::concepts(text).len()
}

fn hash(stem: &str) -> u64 {
    content_hash(stem.as_bytes()) >> (64 - HASH_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_with_their_counts() {
        let counts = [("lambdify", 2), ("matrix", 70_000), ("", 1)];
        let vocabulary = Vocabulary::new(858, counts);
        assert_eq!(vocabulary.sources(), 858);
        assert_eq!(vocabulary.sources_with("lambdify"), 2);
        assert_eq!(vocabulary.sources_with("matrix"), 65_535);
        assert_eq!(vocabulary.sources_with("lambda"), 0);
        assert_eq!(Vocabulary::new(0, []).sources_with("x"), 0);
    }

    #[test]
    fn a_question_is_its_words() {
        let words = question_words("Why does TokenBucket.take() fail for the bucket? 修复 a_b", 9);
        assert_eq!(words, ["token", "bucket", "tokenbucket", "fail", "a_b"]);
        assert_eq!(question_words("parser printer", 1), ["parser"]);
        assert_eq!(stem("printing"), "print");
        assert_eq!(chinese_terms("修复参数解析"), 2);
    }
}
