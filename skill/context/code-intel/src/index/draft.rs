//! The parsed content of one file, before it is written into a segment. A file is divided into units: unit 0 is the
//! text outside of every definition, the others are its definitions; each word counts for the
//! innermost enclosing unit.

use std::path::Path;

pub(crate) use intent::content_hash;
use intent::words::words;
use rustc_hash::FxHashMap;

use super::walk::Seen;
use crate::language::Language;
use crate::outline::{self, Outline, ReferenceKind};
use crate::paths;
use crate::syntax;

/// Maximum size of a file that is read, in bytes; of a larger one only the name is indexed.
pub(crate) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum size of indexed text without a language: data files are long and of little use.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Number of bytes checked to distinguish text from data.
const SNIFF_BYTES: usize = 8 * 1024;

/// Flag: the content was read, so the file is text and not too large.
pub(crate) const FLAG_TEXT: u8 = 1;
/// Flag: the file may have been written while it was read, so its content is compared the next time.
pub(crate) const FLAG_UNSURE: u8 = 2;
/// Flag: only the beginning was read.
pub(crate) const FLAG_CUT: u8 = 4;

/// Flag: the file is a test, by its path.
pub(crate) const FLAG_TEST: u8 = 8;

/// No name, no parent.
pub(crate) const NONE: u32 = u32::MAX;

/// One parsed file.
pub(crate) struct Draft {
    pub(crate) path: String,
    pub(crate) stamp: u64,
    pub(crate) hash: u64,
    pub(crate) size: u64,
    pub(crate) language: Option<Language>,
    pub(crate) flags: u8,
    pub(crate) lines: u32,
    pub(crate) units: Vec<Unit>,
    /// Names of definitions and references, without repeats; other fields refer to them by index.
    pub(crate) names: Vec<Box<str>>,
    pub(crate) references: Vec<Use>,
    pub(crate) imports: Vec<(String, u32)>,
    pub(crate) terms: Vec<Box<[u8]>>,
    /// Sorted by term, then unit.
    pub(crate) postings: Vec<Posting>,
}

/// One unit of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) name: u32,
    pub(crate) scope: u32,
    /// The enclosing unit; [`NONE`] for the file's own.
    pub(crate) parent: u32,
    pub(crate) kind: u8,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    /// Number of words.
    pub(crate) words: u32,
}

/// One reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Use {
    pub(crate) name: u32,
    /// The referring unit.
    pub(crate) unit: u32,
    pub(crate) line: u32,
    pub(crate) is_call: u8,
}

/// The frequency of a word in a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) term: u32,
    pub(crate) unit: u32,
    pub(crate) count: u8,
    /// 1 if the word is in the unit's name (for unit 0: in the path).
    pub(crate) named: u8,
}

/// Parses a file. Of a file without text only the name is used.
pub(crate) fn draft(seen: &Seen, content: Option<&[u8]>) -> Draft {
    let hash = content.map_or(0, content_hash);
    let text = content.filter(|content| is_text(content));
    let mut draft = Draft {
        path: seen.path.clone(),
        stamp: seen.stamp,
        hash,
        size: seen.size,
        language: None,
        flags: 0,
        lines: 0,
        units: Vec::new(),
        names: Vec::new(),
        references: Vec::new(),
        imports: Vec::new(),
        terms: Vec::new(),
        postings: Vec::new(),
    };
    let content = text.unwrap_or_default();
    draft.language = text.and_then(|text| Language::detect(Path::new(&seen.path), text));
    let tree = draft.language.and_then(|language| syntax::parse(language, content));
    let outline = match (draft.language, &tree) {
        (Some(language), Some(tree)) => outline::outline(language, content, tree),
        _ => Outline::default(),
    };
    let whole = tree.is_some() || content.len() <= MAX_TEXT_BYTES;
    let read = if whole { content } else { &content[..MAX_TEXT_BYTES] };
    draft.flags |= if text.is_some() { FLAG_TEXT } else { 0 };
    draft.flags |= if whole { 0 } else { FLAG_CUT };
    draft.flags |= if paths::is_test(&draft.path) { FLAG_TEST } else { 0 };
    draft.lines = line_count(content);
    fill_outline(&mut draft, &outline);
    fill_words(&mut draft, &outline, read);
    draft
}

pub(crate) fn is_text(content: &[u8]) -> bool {
    memchr::memchr(0, &content[..content.len().min(SNIFF_BYTES)]).is_none()
}

fn line_count(content: &[u8]) -> u32 {
    let ends = memchr::memchr_iter(b'\n', content).count();
    ends as u32 + u32::from(content.last().is_some_and(|byte| *byte != b'\n'))
}

fn fill_outline(draft: &mut Draft, outline: &Outline<'_>) {
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut names: Vec<Box<str>> = Vec::new();
    let mut number = |name| {
        *numbers.entry(name).or_insert_with(|| {
            names.push(Box::from(name));
            names.len() as u32 - 1
        })
    };
    draft.units.push(Unit {
        name: NONE,
        scope: NONE,
        parent: NONE,
        kind: 0,
        start_line: u32::from(draft.lines > 0),
        end_line: draft.lines,
        words: 0,
    });
    for definition in &outline.definitions {
        draft.units.push(Unit {
            name: number(definition.name),
            scope: definition.scope.map_or(NONE, &mut number),
            parent: definition.parent.map_or(0, |parent| parent + 1),
            kind: definition.kind as u8,
            start_line: definition.start_line,
            end_line: definition.end_line,
            words: 0,
        });
    }
    let uses = outline.references.iter().map(|reference| Use {
        name: number(reference.name),
        unit: reference.from.map_or(0, |from| from + 1),
        line: reference.line,
        is_call: u8::from(reference.kind == ReferenceKind::Call),
    });
    draft.references = uses.collect();
    draft.references.sort_by_key(|reference| (reference.unit, reference.line));
    draft.names = names;
    let imports = outline.imports.iter().map(|import| (import.module.clone(), import.line));
    draft.imports = imports.collect();
}

fn fill_words(draft: &mut Draft, outline: &Outline<'_>, content: &[u8]) {
    let mut numbers: FxHashMap<Box<[u8]>, u32> = FxHashMap::default();
    // One number per word: its term, its unit, and whether it is in a name. Such numbers sort quickly.
    let mut found: Vec<u64> = Vec::with_capacity(content.len() / 6);
    let place =
        |term: u32, unit: u32, named: u64| u64::from(term) << 32 | u64::from(unit) << 1 | named;
    let mut number = |word: &[u8]| match numbers.get(word) {
        Some(number) => *number,
        None => {
            let number = numbers.len() as u32;
            numbers.insert(Box::from(word), number);
            number
        }
    };
    words(draft.path.as_bytes(), |word, _| found.push(place(number(word), 0, 1)));
    for (index, definition) in outline.definitions.iter().enumerate() {
        let unit = index as u32 + 1;
        let mut name = |word: &[u8], _| found.push(place(number(word), unit, 1));
        words(definition.name.as_bytes(), &mut name);
        if let Some(scope) = definition.scope {
            words(scope.as_bytes(), &mut name);
        }
    }
    let mut around = Around { definitions: &outline.definitions, next: 0, open: Vec::new() };
    let units = &mut draft.units;
    words(content, |word, at| {
        let unit = around.unit(at);
        units[unit as usize].words += 1;
        found.push(place(number(word), unit, 0));
    });
    found.sort_unstable();
    for place in found {
        let (term, unit) = ((place >> 32) as u32, place as u32 >> 1);
        let named = (place & 1) as u8;
        match draft.postings.last_mut() {
            Some(last) if last.term == term && last.unit == unit => {
                last.count = last.count.saturating_add(1 - named);
                last.named |= named;
            }
            _ => draft.postings.push(Posting { term, unit, count: 1 - named, named }),
        }
    }
    let mut terms = vec![Box::default(); numbers.len()];
    for (word, number) in numbers {
        terms[number as usize] = word;
    }
    draft.terms = terms;
}

/// Finds the unit of an offset, for increasing offsets.
struct Around<'o> {
    definitions: &'o [outline::Definition<'o>],
    next: usize,
    open: Vec<usize>,
}

impl Around<'_> {
    fn unit(&mut self, at: usize) -> u32 {
        while self.definitions.get(self.next).is_some_and(|next| next.start_byte <= at) {
            self.open.push(self.next);
            self.next += 1;
        }
        while self.open.last().is_some_and(|open| self.definitions[*open].end_byte <= at) {
            self.open.pop();
        }
        self.open.last().map_or(0, |open| *open as u32 + 1)
    }
}
