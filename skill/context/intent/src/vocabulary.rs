//! A repository's own words: the words in its paths and names of definitions, and in how many of its sources each occurs.
//! They are stored as hashes in a small file beside the index, so that a prompt can be compared with them
//! without the index and without reading the tree. The file can only tell whether a known word
//! occurs in the repository's names.
//!
//! Not here: the weights of words, and the definition of a source.

use std::io::{self, Read as _};
use std::path::Path;

use host::Environment;
use rustc_hash::FxHashMap;

use crate::hash::content_hash;
use crate::index_folder::{IndexFolder, cache_folder};
use crate::terms;
use crate::words::words;

const MAGIC: &[u8; 8] = b"ci-words";
/// Incremented when the format of the file, or the way words are split and cut, changes.
const VERSION: u32 = 5;
/// Magic, version, checksum; then, checksummed, generation, files, sources and four reserved bytes.
const HEADER_BYTES: usize = 16 + 8 + 12;
/// Size of an entry: six bytes of a hash, and the count in the bits above.
const ENTRY_BYTES: usize = 8;
/// Number of hash bits in an entry.
const HASH_BITS: u32 = 48;
/// Maximum number of words; those of the first sources are kept.
const WORDS_MAX: usize = 1 << 17;
/// The shortest word, in bytes.
const WORD_BYTES_MIN: usize = 3;
/// With fewer words than this, the file is written anew whenever the index has changed.
const FEW_WORDS: usize = 4_096;

/// Which index a file of words was generated from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// The index's generation.
    pub generation: u64,
    /// How many files the index had.
    pub files: u32,
}

/// Counts the words of a repository, source by source.
#[derive(Debug, Default)]
pub struct Counts {
    /// By the hash of a stem: in how many sources, and the last of them.
    counts: FxHashMap<u64, (u32, u32)>,
    sources: u32,
}

impl Counts {
    /// Starts the next source.
    pub fn next_source(&mut self) {
        self.sources += 1;
    }

    /// Counts the words of a path or a name of the source, each once per source.
    pub fn add(&mut self, text: &str) {
        words(text.as_bytes(), |word, _| {
            let Ok(word) = std::str::from_utf8(word) else { return };
            let stem = hash(terms::stem(word));
            let full = self.counts.len() >= WORDS_MAX;
            if word.len() < WORD_BYTES_MIN || (full && !self.counts.contains_key(&stem)) {
                return;
            }
            let (count, last) = self.counts.entry(stem).or_default();
            if *last != self.sources {
                (*count, *last) = (*count + 1, self.sources);
            }
        });
    }

    /// The vocabulary with these counts.
    #[must_use]
    pub fn finish(self, fit: Fit) -> Vocabulary {
        let counts = self.counts.into_iter().map(|(hash, (count, _))| (hash, count)).collect();
        Vocabulary::encode(fit, self.sources, counts)
    }
}

/// The words of one repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The file's content, checked.
    bytes: Vec<u8>,
}

impl Vocabulary {
    /// The words of the folder's root; `None` if there is no index yet, or if
    /// the file is damaged or not private. Does not read the tree.
    #[must_use]
    pub fn of(folder: &IndexFolder) -> Option<Self> {
        Self::read(folder).ok().flatten()
    }

    /// The words of `root`, if an index was made before: nothing is built
    /// for a prompt that may be about something else.
    #[must_use]
    pub fn of_root(root: &Path, environment: &Environment) -> Option<Self> {
        Self::of(&IndexFolder::new(&cache_folder(environment)?, root))
    }

    /// A vocabulary of this many sources: stems as returned by [`stem`], each with the number of sources
    /// that contain it.
    #[must_use]
    pub fn new<'w>(sources: u32, words: impl IntoIterator<Item = (&'w str, u32)>) -> Self {
        let counts = words.into_iter().map(|(word, count)| (hash(word), count));
        Self::encode(Fit::default(), sources, counts.take(WORDS_MAX).collect())
    }

    /// Number of sources: files with definitions, without tests, examples and third-party code.
    #[must_use]
    pub fn sources(&self) -> u32 {
        u32_at(&self.bytes, 28)
    }

    /// Number of sources with this word in their path or in the name of a definition; at most 65,535.
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

    /// The index that it was generated from.
    #[must_use]
    pub fn fit(&self) -> Fit {
        Fit { generation: u64_at(&self.bytes, 16), files: u32_at(&self.bytes, 24) }
    }

    /// Whether there are so few words that they can be counted again quickly.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.bytes.len() < HEADER_BYTES + FEW_WORDS * ENTRY_BYTES
    }

    /// The file's content.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn encode(fit: Fit, sources: u32, counts: Vec<(u64, u32)>) -> Self {
        let entry =
            |(hash, count): (u64, u32)| hash << (64 - HASH_BITS) | u64::from(count.min(0xffff));
        let mut entries: Vec<u64> = counts.into_iter().map(entry).collect();
        entries.sort_unstable();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + entries.len() * ENTRY_BYTES);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&fit.generation.to_le_bytes());
        bytes.extend_from_slice(&fit.files.to_le_bytes());
        bytes.extend_from_slice(&sources.to_le_bytes());
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
        Self { bytes }
    }

    fn read(folder: &IndexFolder) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        let longest = HEADER_BYTES + WORDS_MAX * ENTRY_BYTES;
        folder.open_words()?.take(longest as u64 + 1).read_to_end(&mut bytes)?;
        let sound = (HEADER_BYTES..=longest).contains(&bytes.len())
            && bytes.starts_with(MAGIC)
            && u32_at(&bytes, 8) == VERSION
            && u32_at(&bytes, 12) == crc32fast::hash(&bytes[16..]);
        Ok(sound.then_some(Self { bytes }))
    }
}

/// The first `most` significant words of a question: in lower case, of three letters
/// or more, without repeats. Names of several words are returned in parts and as a whole.
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

/// The little-endian number at `offset`, or 0 beyond the end.
fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let slice = offset.checked_add(4).and_then(|end| bytes.get(offset..end));
    slice.and_then(|slice| slice.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The same for eight bytes.
fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let slice = offset.checked_add(8).and_then(|end| bytes.get(offset..end));
    slice.and_then(|slice| slice.try_into().ok()).map_or(0, u64::from_le_bytes)
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
    }
}
