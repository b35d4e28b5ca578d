//! The history file: its layout, and how it is read. Reading never fails and never panics, whatever
//! the bytes are; a checksum verifies that they are what was written.

use super::ledger::Ledger;
use crate::index::bytes::{Varints, push_varint, slice, u32_at, u64_at};

/// The first bytes of the file; a file of another version is rebuilt.
const MAGIC: &[u8; 8] = b"ci-past1";
const SECTIONS: usize = 7;
/// Magic, stamp, checksum, flags, number of commits that were read, then the end of each section.
const HEADER_BYTES: usize = 28 + SECTIONS * 4;
/// Set when older commits were left out.
const FLAG_CUT: u32 = 1;

#[derive(Clone, Copy)]
enum Section {
    /// The root, the commit and the hash of where history was cut off, one per line; the hash is in hexadecimal.
    Head,
    /// The files' paths, each terminated by NUL.
    Files,
    /// By file: the sum of its words' counts.
    Lengths,
    /// By word: where it ends, and where its entries end.
    Ends,
    /// The words, sorted.
    Words,
    /// By word: for each of its files, the difference to the previous file's number, and the word's count.
    Entries,
    /// By commit: how many source files it changed, and the difference from each to the next.
    Commits,
}

/// What a history was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The folder that the index covers.
    pub(crate) root: String,
    /// The newest commit included, in hexadecimal; empty where there is none.
    pub(crate) head: String,
    /// A hash of where history was cut off.
    pub(crate) cut_off: u64,
    /// The stamp of HEAD, taken without git.
    pub(crate) stamp: u64,
    /// How many commits were read.
    pub(crate) commits: u32,
    /// Whether older ones were left out.
    pub(crate) is_cut: bool,
}

/// A history loaded into memory.
pub(crate) struct Past {
    bytes: Vec<u8>,
    ends: [usize; SECTIONS + 1],
    origin: Origin,
}

impl Past {
    /// Parses a history; `None` when the bytes are not exactly what [`encode`] wrote.
    pub(crate) fn open(bytes: Vec<u8>) -> Option<Self> {
        let sound = bytes.get(..8)? == MAGIC
            && u32_at(&bytes, 16) == crc32fast::hash(bytes.get(20..)?)
            && bytes.len() >= HEADER_BYTES;
        let mut ends = [HEADER_BYTES; SECTIONS + 1];
        for section in 0..SECTIONS {
            let end = u32_at(&bytes, 28 + section * 4) as usize;
            ends[section + 1] = end.clamp(ends[section], bytes.len().max(ends[section]));
        }
        if !sound || ends[SECTIONS] != bytes.len() {
            return None;
        }
        let mut past = Self { bytes, ends, origin: Origin::default() };
        let head = std::str::from_utf8(past.section(Section::Head)).ok()?;
        let mut lines = head.splitn(3, '\n');
        let (cut_off, head, root) = (lines.next()?, lines.next()?, lines.next()?);
        past.origin = Origin {
            root: root.to_owned(),
            head: head.to_owned(),
            cut_off: u64::from_str_radix(cut_off, 16).ok()?,
            stamp: stamp_of(&past.bytes)?,
            commits: u32_at(&past.bytes, 24),
            is_cut: u32_at(&past.bytes, 20) & FLAG_CUT != 0,
        };
        Some(past)
    }

    /// What the history was made from.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The paths of its files, by their number.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let paths = self.section(Section::Files).split(|byte| *byte == 0);
        paths.take(self.file_count()).map(|path| std::str::from_utf8(path).unwrap_or_default())
    }

    /// How many files it covers.
    pub(crate) fn file_count(&self) -> usize {
        self.section(Section::Lengths).len() / 4
    }

    /// The sum of a file's word counts.
    pub(crate) fn length(&self, file: u32) -> u32 {
        u32_at(self.section(Section::Lengths), file as usize * 4)
    }

    /// The files whose commits contain this word, each with its count.
    pub(crate) fn entries(&self, word: &str) -> impl Iterator<Item = (u32, u32)> {
        let count = self.word_count();
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle) < word.as_bytes() { low = middle + 1 } else { high = middle }
        }
        let is_there = low < count && self.word(low) == word.as_bytes();
        Entries::new(if is_there { self.entries_at(low) } else { &[] })
    }

    /// Calls `each` with the source files of each commit.
    pub(crate) fn each_commit(&self, mut each: impl FnMut(&[u32])) {
        let mut numbers = Varints(self.section(Section::Commits));
        let mut files = Vec::new();
        while let Some(count) = numbers.next() {
            files.clear();
            let mut file = 0_u32;
            for _ in 0..count {
                let Some(step) = numbers.next() else { return };
                file = file.wrapping_add(step);
                files.push(file);
            }
            each(&files);
        }
    }

    /// The ledger that the history was made from, without the files for which `is_live` is false.
    pub(super) fn ledger(&self, is_live: impl Fn(&str) -> bool) -> Ledger {
        let mut ledger = Ledger::default();
        let live: Vec<Option<u32>> =
            self.files().map(|path| is_live(path).then(|| ledger.file(path))).collect();
        let kept = |file: u32| live.get(file as usize).copied().flatten();
        for number in 0..self.word_count() {
            let Ok(word) = std::str::from_utf8(self.word(number)) else { continue };
            let mut entries = Entries::new(self.entries_at(number))
                .filter_map(|(file, sum)| Some((kept(file)?, sum)))
                .peekable();
            if entries.peek().is_some() {
                let word = ledger.word(word);
                ledger.sums.extend(entries.map(|(file, sum)| ((word, file), sum)));
            }
        }
        self.each_commit(|files| {
            let mut files: Vec<u32> = files.iter().copied().filter_map(kept).collect();
            files.sort_unstable();
            if !files.is_empty() {
                ledger.commits.push(files);
            }
        });
        ledger
    }

    fn word_count(&self) -> u32 {
        (self.section(Section::Ends).len() / 8) as u32
    }

    fn word(&self, number: u32) -> &[u8] {
        self.part(Section::Words, number, 0)
    }

    fn entries_at(&self, number: u32) -> &[u8] {
        self.part(Section::Entries, number, 4)
    }

    fn part(&self, section: Section, number: u32, column: usize) -> &[u8] {
        let ends = self.section(Section::Ends);
        let end_of = |number: u32| u32_at(ends, number as usize * 8 + column);
        let begin = number.checked_sub(1).map_or(0, end_of);
        slice(self.section(section), begin, end_of(number).saturating_sub(begin))
    }

    fn section(&self, section: Section) -> &[u8] {
        let number = section as usize;
        self.bytes.get(self.ends[number]..self.ends[number + 1]).unwrap_or_default()
    }
}

/// The stamp at the beginning of a history file; `None` on malformed input.
pub(super) fn stamp_of(bytes: &[u8]) -> Option<u64> {
    (bytes.get(..8)? == MAGIC && bytes.len() >= 16).then(|| u64_at(bytes, 8))
}

/// How many bytes at the beginning of the file hold its stamp.
pub(super) const STAMP_BYTES: usize = 16;

/// The entries of one word.
struct Entries<'b> {
    numbers: Varints<'b>,
    file: u32,
}

impl<'b> Entries<'b> {
    fn new(bytes: &'b [u8]) -> Self {
        Self { numbers: Varints(bytes), file: 0 }
    }
}

impl Iterator for Entries<'_> {
    type Item = (u32, u32);

    fn next(&mut self) -> Option<Self::Item> {
        self.file = self.file.wrapping_add(self.numbers.next()?);
        Some((self.file, self.numbers.next()?))
    }
}

/// The file's bytes.
pub(super) fn encode(ledger: &Ledger, origin: &Origin) -> Vec<u8> {
    let mut by_word: Vec<Vec<(u32, u32)>> = vec![Vec::new(); ledger.words.len()];
    let mut lengths = vec![0_u32; ledger.files.len()];
    for ((word, file), sum) in &ledger.sums {
        by_word[*word as usize].push((*file, *sum));
        let length = &mut lengths[*file as usize];
        *length = length.saturating_add(*sum);
    }
    let mut order: Vec<usize> = (0..ledger.words.len()).collect();
    order.sort_by(|one, other| ledger.words[*one].as_bytes().cmp(ledger.words[*other].as_bytes()));
    let (mut ends, mut words, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for number in order {
        let of_word = &mut by_word[number];
        of_word.sort_unstable();
        let mut last = 0;
        for (file, sum) in of_word {
            push_varint(&mut entries, *file - last);
            push_varint(&mut entries, *sum);
            last = *file;
        }
        words.extend_from_slice(ledger.words[number].as_bytes());
        ends.extend_from_slice(&(words.len() as u32).to_le_bytes());
        ends.extend_from_slice(&(entries.len() as u32).to_le_bytes());
    }
    let mut commits = Vec::new();
    for files in &ledger.commits {
        push_varint(&mut commits, files.len() as u32);
        let mut last = 0;
        for file in files {
            push_varint(&mut commits, *file - last);
            last = *file;
        }
    }
    let head = format!("{:x}\n{}\n{}", origin.cut_off, origin.head, origin.root).into_bytes();
    let files: Vec<u8> =
        ledger.files.iter().flat_map(|path| [path.as_bytes(), &[0]].concat()).collect();
    let lengths: Vec<u8> = lengths.iter().flat_map(|length| length.to_le_bytes()).collect();
    assemble(origin, &[head, files, lengths, ends, words, entries, commits])
}

fn assemble(origin: &Origin, sections: &[Vec<u8>; SECTIONS]) -> Vec<u8> {
    let mut checked = Vec::new();
    checked.extend_from_slice(&if origin.is_cut { FLAG_CUT } else { 0 }.to_le_bytes());
    checked.extend_from_slice(&origin.commits.to_le_bytes());
    let mut end = HEADER_BYTES;
    for section in sections {
        end += section.len();
        checked.extend_from_slice(&(end as u32).to_le_bytes());
    }
    sections.iter().for_each(|section| checked.extend_from_slice(section));
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&origin.stamp.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&checked).to_le_bytes());
    bytes.extend_from_slice(&checked);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Message;

    fn filled(messages: &[(&str, &[&str])]) -> Ledger {
        let mut ledger = Ledger::default();
        for (text, files) in messages {
            ledger.add(&Message { text, files: files.to_vec() }, |_| true);
        }
        ledger
    }

    fn origin() -> Origin {
        let (root, head) = ("/a\nb".to_owned(), "1234".to_owned());
        Origin { root, head, cut_off: 7, stamp: 1 << 40, commits: 3, is_cut: true }
    }

    fn commits(past: &Past) -> Vec<Vec<u32>> {
        let mut commits = Vec::new();
        past.each_commit(|files| commits.push(files.to_vec()));
        commits
    }

    const ALL: [(&str, &[&str]); 3] = [
        ("parse header", &["b.rs", "a.rs"]),
        ("write header", &["c.rs"]),
        ("parse footer", &["a.rs"]),
    ];

    #[test]
    fn what_is_written_is_read() {
        let past = Past::open(encode(&filled(&ALL), &origin())).unwrap();
        assert_eq!(*past.origin(), origin());
        assert_eq!(past.files().collect::<Vec<_>>(), ["b.rs", "a.rs", "c.rs"]);
        let of = |word: &str| past.entries(word).map(|(file, _)| file).collect::<Vec<_>>();
        assert_eq!([of("parse"), of("header"), of("none")], [vec![0, 1], vec![0, 1, 2], vec![]]);
        assert_eq!(commits(&past), [vec![0, 1], vec![2], vec![1]]);
        let lengths: u32 = (0..3).map(|file| past.length(file)).sum();
        assert_eq!(
            lengths,
            ["parse", "header", "write", "footer"]
                .iter()
                .flat_map(|word| past.entries(word))
                .map(|(_, sum)| sum)
                .sum::<u32>()
        );
    }

    #[test]
    fn what_is_added_later_counts_as_if_it_had_been_there() {
        let first = Past::open(encode(&filled(&ALL[..2]), &origin())).unwrap();
        let mut ledger = first.ledger(|_| true);
        ledger.add(&Message { text: ALL[2].0, files: ALL[2].1.to_vec() }, |_| true);
        assert_eq!(encode(&ledger, &origin()), encode(&filled(&ALL), &origin()));
        let without = first.ledger(|path| path != "c.rs");
        assert_eq!(without.files, ["b.rs", "a.rs"]);
        assert_eq!(without.words, ["header", "parse"]);
        assert_eq!(without.commits, [[0, 1]]);
    }

    #[test]
    fn what_is_damaged_is_none_and_no_bytes_are_too_strange() {
        let whole = encode(&filled(&ALL), &origin());
        for end in 0..whole.len() {
            assert!(Past::open(whole[..end].to_vec()).is_none(), "{end}");
        }
        for at in 16..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            assert!(Past::open(bytes).is_none(), "{at}");
        }
        // With a valid checksum, malformed content is read without a panic.
        for at in 20..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] = 0xff;
            let sum = crc32fast::hash(&bytes[20..]).to_le_bytes();
            bytes[16..20].copy_from_slice(&sum);
            if let Some(past) = Past::open(bytes) {
                let read = past.entries("parse").count() + commits(&past).len();
                assert!(read < whole.len() * 2);
                past.ledger(|_| true);
            }
        }
    }
}
