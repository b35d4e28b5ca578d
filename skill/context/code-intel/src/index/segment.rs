//! The binary format of a segment, and its reader. Reading never fails and never
//! panics, whatever the bytes are; the checksum detects damage.

use super::bytes::{Varints, slice, u32_at, u64_at};
use super::draft::{Draft, NONE, Posting, Unit, Use};
use crate::answer::INDEX_VERSION;
use crate::language::Language;

const MAGIC: &[u8; 8] = b"ci-index";
const SECTIONS: usize = 15;
/// Magic, version, checksum, then the end of each section.
const HEADER_BYTES: usize = 16 + SECTIONS * 4;
/// Size of a file's record: eight bytes for each of stamp, hash and size, four for each of the ten others.
const FILE_BYTES: usize = 64;
const UNIT_BYTES: usize = 24;

/// Start of a file's parts.
pub(crate) struct Starts {
    pub(crate) path: u32,
    pub(crate) unit: u32,
    pub(crate) reference: u32,
    pub(crate) import: u32,
}

/// The record of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileRecord {
    pub(crate) stamp: u64,
    pub(crate) hash: u64,
    pub(crate) size: u64,
    path: (u32, u32),
    pub(crate) lines: u32,
    pub(crate) first_unit: u32,
    pub(crate) unit_count: u32,
    references: (u32, u32),
    imports: (u32, u32),
    pub(crate) language: Option<Language>,
    pub(crate) flags: u8,
}

/// A segment that was read into memory.
pub(crate) struct Segment {
    bytes: Vec<u8>,
    ends: [usize; SECTIONS + 1],
}

/// The sections, in their order.
#[derive(Clone, Copy)]
enum Section {
    Files,
    Paths,
    Units,
    References,
    Imports,
    NameOffsets,
    Names,
    NameOrder,
    UserOffsets,
    Users,
    TermOffsets,
    Terms,
    PostingOffsets,
    Postings,
    NameNumbers,
}

impl Segment {
    /// The segment in these bytes; `None` if they are not exactly the output of [`encode`].
    pub(crate) fn open(bytes: Vec<u8>) -> Option<Self> {
        let sound = bytes.get(..8)? == MAGIC
            && u32_at(&bytes, 8) == INDEX_VERSION
            && u32_at(&bytes, 12) == crc32fast::hash(bytes.get(16..)?);
        let mut ends = [HEADER_BYTES; SECTIONS + 1];
        for section in 0..SECTIONS {
            let end = u32_at(&bytes, 16 + section * 4) as usize;
            ends[section + 1] = end.clamp(ends[section], bytes.len().max(ends[section]));
        }
        (sound && ends[SECTIONS] == bytes.len()).then_some(Self { bytes, ends })
    }

    fn section(&self, section: Section) -> &[u8] {
        let number = section as usize;
        self.bytes.get(self.ends[number]..self.ends[number + 1]).unwrap_or_default()
    }

    /// Its size in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn file_count(&self) -> u32 {
        (self.section(Section::Files).len() / FILE_BYTES) as u32
    }

    pub(crate) fn unit_count(&self) -> u32 {
        (self.section(Section::Units).len() / UNIT_BYTES) as u32
    }

    /// Number of names; their numbers are below it.
    pub(crate) fn name_count(&self) -> u32 {
        count(self.section(Section::NameOffsets))
    }

    pub(crate) fn term_count(&self) -> u32 {
        count(self.section(Section::TermOffsets))
    }

    pub(crate) fn file(&self, file: u32) -> FileRecord {
        let begin = file as usize * FILE_BYTES;
        let bytes = self.section(Section::Files).get(begin..begin + FILE_BYTES).unwrap_or_default();
        let pair = |offset| (u32_at(bytes, offset), u32_at(bytes, offset + 4));
        let last = u32_at(bytes, 60);
        let first_unit = u32_at(bytes, 36);
        let units = u32_at(bytes, 40).min(self.unit_count());
        FileRecord {
            stamp: u64_at(bytes, 0),
            hash: u64_at(bytes, 8),
            size: u64_at(bytes, 16),
            path: pair(24),
            lines: u32_at(bytes, 32),
            first_unit,
            unit_count: units.saturating_sub(first_unit),
            references: pair(44),
            imports: pair(52),
            language: Language::from_number(last as u8),
            flags: (last >> 8) as u8,
        }
    }

    pub(crate) fn path(&self, record: &FileRecord) -> &str {
        let bytes = slice(self.section(Section::Paths), record.path.0, record.path.1);
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(crate) fn unit(&self, unit: u32) -> Unit {
        let begin = unit as usize * UNIT_BYTES;
        let bytes = self.section(Section::Units).get(begin..begin + UNIT_BYTES).unwrap_or_default();
        let last = u32_at(bytes, 20);
        Unit {
            name: u32_at(bytes, 0),
            scope: u32_at(bytes, 4),
            parent: u32_at(bytes, 8),
            start_line: u32_at(bytes, 12),
            end_line: u32_at(bytes, 16),
            words: last & 0x00ff_ffff,
            kind: (last >> 24) as u8,
        }
    }

    /// A name by its number; empty if there is none.
    pub(crate) fn name(&self, number: u32) -> &str {
        if number == NONE {
            return "";
        }
        let sorted = u32_at(self.section(Section::NameOrder), number as usize * 4);
        std::str::from_utf8(self.sorted_name(sorted)).unwrap_or_default()
    }

    fn sorted_name(&self, sorted: u32) -> &[u8] {
        entry(self.section(Section::NameOffsets), self.section(Section::Names), sorted)
    }

    /// The number of a name, and its position among the sorted ones.
    pub(crate) fn find_name(&self, name: &str) -> Option<(u32, u32)> {
        let sorted = search(self.name_count(), name.as_bytes(), |sorted| self.sorted_name(sorted))?;
        Some((u32_at(self.section(Section::NameNumbers), sorted as usize * 4), sorted))
    }

    /// The units with the name at this sorted position.
    pub(crate) fn definers(&self, sorted: u32) -> impl Iterator<Item = u32> + '_ {
        let mut varints = self.users_entry(sorted);
        let count = varints.next().unwrap_or(0);
        rising(varints, self.unit_count()).take(count as usize)
    }

    /// The files that refer to the name at this sorted position.
    pub(crate) fn users(&self, sorted: u32) -> impl Iterator<Item = u32> + '_ {
        let mut varints = self.users_entry(sorted);
        for _ in 0..varints.next().unwrap_or(0) {
            if varints.next().is_none() {
                break;
            }
        }
        rising(varints, self.file_count())
    }

    /// The number of definers, the definers, then the users.
    fn users_entry(&self, sorted: u32) -> Varints<'_> {
        Varints(entry(self.section(Section::UserOffsets), self.section(Section::Users), sorted))
    }

    /// The references of a file, by unit.
    pub(crate) fn uses<'s>(&'s self, record: &FileRecord) -> impl Iterator<Item = Use> + use<'s> {
        let (begin, end) = record.references;
        let bytes = slice(self.section(Section::References), begin, end.saturating_sub(begin));
        let (mut varints, mut unit, mut line) = (Varints(bytes), 0_u32, 0_u32);
        std::iter::from_fn(move || {
            let name = varints.next()?;
            unit = unit.wrapping_add(varints.next()?);
            let folded = varints.next()?;
            line = line.wrapping_add(folded >> 1 ^ (folded & 1).wrapping_neg());
            Some(Use { name: name >> 1, unit, line, is_call: (name & 1) as u8 })
        })
    }

    /// The imports of a file: the name number of the module, and the line.
    pub(crate) fn imports<'s>(
        &'s self,
        record: &FileRecord,
    ) -> impl Iterator<Item = (u32, u32)> + use<'s> {
        let (begin, end) = record.imports;
        let bytes = slice(self.section(Section::Imports), begin, end.saturating_sub(begin));
        let (mut varints, mut line) = (Varints(bytes), 0_u32);
        std::iter::from_fn(move || {
            let module = varints.next()?;
            line = line.wrapping_add(varints.next()?);
            Some((module, line))
        })
    }

    /// A term by its sorted position.
    pub(crate) fn term(&self, term: u32) -> &[u8] {
        entry(self.section(Section::TermOffsets), self.section(Section::Terms), term)
    }

    /// The sorted position of a term.
    pub(crate) fn find_term(&self, term: &[u8]) -> Option<u32> {
        search(self.term_count(), term, |term| self.term(term))
    }

    /// All terms concatenated without separators: for a search within words.
    pub(crate) fn all_terms(&self) -> &[u8] {
        self.section(Section::Terms)
    }

    /// The term at an offset of [`Segment::all_terms`].
    pub(crate) fn term_around(&self, offset: usize) -> u32 {
        let offsets = self.section(Section::TermOffsets);
        let (mut low, mut high) = (0, self.term_count());
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            match u32_at(offsets, middle as usize * 4) as usize <= offset {
                true => low = middle,
                false => high = middle,
            }
        }
        low
    }

    /// The units that contain a term.
    pub(crate) fn postings(&self, term: u32) -> impl Iterator<Item = Posting> + '_ {
        let offsets = self.section(Section::PostingOffsets);
        let bytes = entry(offsets, self.section(Section::Postings), term);
        let (mut varints, mut next) = (Varints(bytes), 0_u32);
        std::iter::from_fn(move || {
            let unit = next.checked_add(varints.next()?)?;
            let count = varints.next()?;
            next = unit.checked_add(1)?;
            Some(Posting { term, unit, count: (count >> 1) as u8, named: (count & 1) as u8 })
        })
    }

    /// The head of a draft, for a file that is copied unchanged.
    pub(crate) fn draft_head(&self, record: &FileRecord) -> Draft {
        Draft {
            path: self.path(record).to_owned(),
            stamp: record.stamp,
            hash: record.hash,
            size: record.size,
            language: record.language,
            flags: record.flags,
            lines: record.lines,
            units: Vec::new(),
            names: Vec::new(),
            references: Vec::new(),
            imports: Vec::new(),
            terms: Vec::new(),
            postings: Vec::new(),
        }
    }
}

/// The bytes of a segment with these sections.
pub(crate) fn encode(sections: &[&[u8]; SECTIONS]) -> Vec<u8> {
    let body: usize = sections.iter().map(|section| section.len()).sum();
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&INDEX_VERSION.to_le_bytes());
    bytes.extend_from_slice(&[0; 4]);
    let mut end = HEADER_BYTES;
    for section in sections {
        end += section.len();
        bytes.extend_from_slice(&(end as u32).to_le_bytes());
    }
    for section in sections {
        bytes.extend_from_slice(section);
    }
    let checksum = crc32fast::hash(&bytes[16..]);
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Appends a file's record; [`close_file`] completes it.
pub(crate) fn push_file(out: &mut Vec<u8>, draft: &Draft, starts: &Starts) {
    let language = draft.language.map_or(0, Language::number);
    for number in [draft.stamp, draft.hash, draft.size] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    let last = u32::from(language) | u32::from(draft.flags) << 8;
    let path_bytes = draft.path.len() as u32;
    let (unit, reference, import) = (starts.unit, starts.reference, starts.import);
    let numbers = [starts.path, path_bytes, draft.lines, unit, 0, reference, 0, import, 0, last];
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Completes the last file's record with the ends of its parts.
pub(crate) fn close_file(files: &mut [u8], units: u32, references: u32, imports: u32) {
    let Some(begin) = files.len().checked_sub(FILE_BYTES) else { return };
    for (offset, number) in [(40, units), (48, references), (56, imports)] {
        files[begin + offset..begin + offset + 4].copy_from_slice(&number.to_le_bytes());
    }
}

/// Appends a unit's record.
pub(crate) fn push_unit(out: &mut Vec<u8>, unit: &Unit) {
    let last = unit.words.min(0x00ff_ffff) | u32::from(unit.kind) << 24;
    for number in [unit.name, unit.scope, unit.parent, unit.start_line, unit.end_line, last] {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Numbers encoded as differences, as long as they are below a bound.
fn rising(mut varints: Varints<'_>, bound: u32) -> impl Iterator<Item = u32> + '_ {
    let mut next = 0_u32;
    std::iter::from_fn(move || {
        let number = next.checked_add(varints.next()?)?;
        next = number.checked_add(1)?;
        (number < bound).then_some(number)
    })
}

/// Number of entries in a table of offsets: one less than offsets.
fn count(offsets: &[u8]) -> u32 {
    ((offsets.len() / 4) as u32).saturating_sub(1)
}

fn entry<'b>(offsets: &[u8], bytes: &'b [u8], number: u32) -> &'b [u8] {
    let begin = u32_at(offsets, number as usize * 4);
    let end = u32_at(offsets, (number as usize + 1) * 4);
    slice(bytes, begin, end.saturating_sub(begin))
}

fn search<'b>(count: u32, wanted: &[u8], at: impl Fn(u32) -> &'b [u8]) -> Option<u32> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        match at(middle).cmp(wanted) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}
