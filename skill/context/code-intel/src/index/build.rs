//! Writes a segment: files are appended one by one, newly parsed or copied from older segments.
//! Posting lists are encoded incrementally, so that memory use stays near the size of the result.

use rustc_hash::FxHashMap;

use super::bytes::push_varint;
use super::draft::{Draft, NONE, Posting, Unit, Use};
use super::segment::{self, Segment};

/// Up to this many files, sorting uses one thread.
const FEW_FILES: u32 = 16;

/// A segment under construction.
#[derive(Default)]
pub(crate) struct Builder {
    files: Vec<u8>,
    file_count: u32,
    paths: Vec<u8>,
    units: Vec<u8>,
    unit_count: u32,
    references: Vec<u8>,
    imports: Vec<u8>,
    names: FxHashMap<Box<str>, u32>,
    /// For each name: the files that refer to it.
    users: Vec<Rising>,
    /// For each name: the units with that name.
    definers: Vec<Rising>,
    terms: FxHashMap<Box<[u8]>, u32>,
    /// For each term: its postings, and the last unit plus one.
    postings: Vec<(Vec<u8>, u32)>,
}

/// Increasing numbers, encoded as differences.
#[derive(Default)]
struct Rising {
    bytes: Vec<u8>,
    count: u32,
    /// The last number plus one.
    next: u32,
}

impl Rising {
    /// Appends a number, unless it is the last one.
    fn push(&mut self, number: u32) {
        if number >= self.next {
            push_varint(&mut self.bytes, number - self.next);
            self.next = number + 1;
            self.count += 1;
        }
    }
}

impl Builder {
    /// Number of files.
    pub(crate) fn file_count(&self) -> u32 {
        self.file_count
    }

    /// Appends a file.
    pub(crate) fn push(&mut self, draft: &Draft) {
        let names: Vec<u32> = draft.names.iter().map(|name| self.name(name)).collect();
        let terms: Vec<u32> = draft.terms.iter().map(|term| self.term(term)).collect();
        let first_unit = self.unit_count;
        for Posting { term, unit, count, named } in &draft.postings {
            self.post(terms[*term as usize], first_unit + unit, *count, *named);
        }
        self.begin_file(draft);
        for unit in &draft.units {
            let name = |name: u32| names.get(name as usize).copied().unwrap_or(NONE);
            self.unit(&Unit { name: name(unit.name), scope: name(unit.scope), ..*unit });
        }
        let uses = draft.references.iter();
        let uses: Vec<Use> =
            uses.map(|used| Use { name: names[used.name as usize], ..*used }).collect();
        self.uses(&uses);
        let imports = draft.imports.iter();
        let imports: Vec<(u32, u32)> =
            imports.map(|(module, line)| (self.name(module), *line)).collect();
        self.end_file(&imports);
    }

    /// Copies the files of a segment for which `keep` is true.
    pub(crate) fn absorb(&mut self, segment: &Segment, keep: impl Fn(u32) -> bool) {
        let mut unit_map = vec![NONE; segment.unit_count() as usize];
        let mut name_map: FxHashMap<u32, u32> = FxHashMap::default();
        for file in (0..segment.file_count()).filter(|file| keep(*file)) {
            let record = segment.file(file);
            let first = self.unit_count;
            self.begin_file(&segment.draft_head(&record));
            for local in 0..record.unit_count {
                let unit = segment.unit(record.first_unit + local);
                let name = self.carry(&mut name_map, segment, unit.name);
                let scope = self.carry(&mut name_map, segment, unit.scope);
                self.unit(&Unit { name, scope, ..unit });
                if let Some(slot) = unit_map.get_mut((record.first_unit + local) as usize) {
                    *slot = first + local;
                }
            }
            let uses: Vec<Use> = segment.uses(&record).collect();
            let uses: Vec<Use> = uses
                .into_iter()
                .map(|used| Use { name: self.carry(&mut name_map, segment, used.name), ..used })
                .filter(|used| used.name != NONE)
                .collect();
            self.uses(&uses);
            let imports = segment.imports(&record);
            let imports: Vec<(u32, u32)> = imports
                .map(|(module, line)| (self.carry(&mut name_map, segment, module), line))
                .filter(|(module, _)| *module != NONE)
                .collect();
            self.end_file(&imports);
        }
        for term in 0..segment.term_count() {
            let mut number = NONE;
            for posting in segment.postings(term) {
                let unit = unit_map.get(posting.unit as usize).copied().unwrap_or(NONE);
                if unit == NONE {
                    continue;
                }
                if number == NONE {
                    number = self.term(segment.term(term));
                }
                self.post(number, unit, posting.count, posting.named);
            }
        }
    }

    /// The segment's bytes.
    pub(crate) fn finish(self) -> Vec<u8> {
        let Self { names, users, definers, terms, postings, .. } = self;
        let of_names = || sort_names(names, &definers, &users);
        let of_terms = || sort_terms(terms, &postings);
        // A second thread is not worthwhile for a few files.
        let (names, terms) = match self.file_count {
            0..=FEW_FILES => (of_names(), of_terms()),
            _ => rayon::join(of_names, of_terms),
        };
        segment::encode(&[
            &self.files,
            &self.paths,
            &self.units,
            &self.references,
            &self.imports,
            &names.offsets,
            &names.bytes,
            &names.order,
            &names.user_offsets,
            &names.users,
            &terms.offsets,
            &terms.bytes,
            &terms.posting_offsets,
            &terms.postings,
            &names.numbers,
        ])
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.insert(Box::from(name), number);
        self.users.push(Rising::default());
        self.definers.push(Rising::default());
        number
    }

    fn term(&mut self, term: &[u8]) -> u32 {
        if let Some(number) = self.terms.get(term) {
            return *number;
        }
        let number = self.terms.len() as u32;
        self.terms.insert(Box::from(term), number);
        self.postings.push((Vec::new(), 0));
        number
    }

    fn post(&mut self, term: u32, unit: u32, count: u8, named: u8) {
        let (bytes, next) = &mut self.postings[term as usize];
        push_varint(bytes, unit - *next);
        // Small counts in text without the name are the most frequent: one byte for both.
        push_varint(bytes, u32::from(count) << 1 | u32::from(named));
        *next = unit + 1;
    }

    fn unit(&mut self, unit: &Unit) {
        segment::push_unit(&mut self.units, unit);
        if let Some(definers) = self.definers.get_mut(unit.name as usize) {
            definers.push(self.unit_count);
        }
        self.unit_count += 1;
    }

    fn uses(&mut self, uses: &[Use]) {
        let (mut last_unit, mut last_line) = (0, 0);
        for used in uses {
            push_varint(&mut self.references, used.name << 1 | u32::from(used.is_call));
            push_varint(&mut self.references, used.unit.wrapping_sub(last_unit));
            // Lines decrease where a unit's own text follows that of an inner one.
            let line = used.line.wrapping_sub(last_line) as i32;
            push_varint(&mut self.references, (line << 1 ^ line >> 31) as u32);
            (last_unit, last_line) = (used.unit, used.line);
            self.users[used.name as usize].push(self.file_count);
        }
    }

    fn begin_file(&mut self, draft: &Draft) {
        let starts = segment::Starts {
            path: self.paths.len() as u32,
            unit: self.unit_count,
            reference: self.references.len() as u32,
            import: self.imports.len() as u32,
        };
        self.paths.extend_from_slice(draft.path.as_bytes());
        segment::push_file(&mut self.files, draft, &starts);
    }

    fn end_file(&mut self, imports: &[(u32, u32)]) {
        let mut last_line = 0;
        for (module, line) in imports {
            push_varint(&mut self.imports, *module);
            // In the order of the text: lines only grow.
            push_varint(&mut self.imports, line.wrapping_sub(last_line));
            last_line = *line;
        }
        segment::close_file(
            &mut self.files,
            self.unit_count,
            self.references.len() as u32,
            self.imports.len() as u32,
        );
        self.file_count += 1;
    }

    /// The number in this segment of a name with `number` in another one.
    fn carry(&mut self, known: &mut FxHashMap<u32, u32>, segment: &Segment, number: u32) -> u32 {
        if let Some(here) = known.get(&number) {
            return *here;
        }
        let here = match segment.name(number) {
            "" => NONE,
            name => self.name(name),
        };
        known.insert(number, here);
        here
    }
}

/// The names' sections.
#[derive(Default)]
struct Names {
    offsets: Vec<u8>,
    bytes: Vec<u8>,
    /// Maps numbers to positions.
    order: Vec<u8>,
    /// Maps positions to numbers.
    numbers: Vec<u8>,
    user_offsets: Vec<u8>,
    users: Vec<u8>,
}

/// Names are numbered in the order of their appearance; the file has them sorted, with a table that maps the
/// old numbers, so that written data need not be changed.
fn sort_names(names: FxHashMap<Box<str>, u32>, definers: &[Rising], users: &[Rising]) -> Names {
    let mut names: Vec<(Box<str>, u32)> = names.into_iter().collect();
    names.sort_unstable();
    let mut order = vec![0_u32; names.len()];
    let mut sorted = Names::default();
    for (place, (name, number)) in names.iter().enumerate() {
        let number = *number as usize;
        order[number] = place as u32;
        push_u32(&mut sorted.numbers, number);
        push_u32(&mut sorted.offsets, sorted.bytes.len());
        sorted.bytes.extend_from_slice(name.as_bytes());
        push_u32(&mut sorted.user_offsets, sorted.users.len());
        push_varint(&mut sorted.users, definers[number].count);
        sorted.users.extend_from_slice(&definers[number].bytes);
        sorted.users.extend_from_slice(&users[number].bytes);
    }
    push_u32(&mut sorted.offsets, sorted.bytes.len());
    push_u32(&mut sorted.user_offsets, sorted.users.len());
    sorted.order = order.iter().flat_map(|place| place.to_le_bytes()).collect();
    sorted
}

/// The terms' sections.
#[derive(Default)]
struct Terms {
    offsets: Vec<u8>,
    bytes: Vec<u8>,
    posting_offsets: Vec<u8>,
    postings: Vec<u8>,
}

fn sort_terms(terms: FxHashMap<Box<[u8]>, u32>, postings: &[(Vec<u8>, u32)]) -> Terms {
    let mut terms: Vec<(Box<[u8]>, u32)> = terms.into_iter().collect();
    terms.sort_unstable();
    let mut sorted = Terms::default();
    for (term, number) in &terms {
        push_u32(&mut sorted.offsets, sorted.bytes.len());
        sorted.bytes.extend_from_slice(term);
        push_u32(&mut sorted.posting_offsets, sorted.postings.len());
        sorted.postings.extend_from_slice(&postings[*number as usize].0);
    }
    push_u32(&mut sorted.offsets, sorted.bytes.len());
    push_u32(&mut sorted.posting_offsets, sorted.postings.len());
    sorted
}

fn push_u32(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}
