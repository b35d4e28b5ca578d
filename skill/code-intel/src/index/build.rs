//! Writes a segment: files are appended one by one, drafted anew or taken over from older segments.
//! Posting lists are encoded as they grow, so that memory stays near the size of the result.

use rustc_hash::FxHashMap;

use super::bytes::push_varint;
use super::draft::{Draft, NONE, Posting, Unit, Use};
use super::segment::{self, Segment};

/// A segment in the making.
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
    /// For each name: the files that refer to it, as differences, and the last of them plus one.
    users: Vec<(Vec<u8>, u32)>,
    terms: FxHashMap<Box<[u8]>, u32>,
    /// For each term: its postings, and the last unit plus one.
    postings: Vec<(Vec<u8>, u32)>,
}

impl Builder {
    /// How many files there are.
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
        self.end_file(&draft.imports);
    }

    /// Takes over the files of a segment that `keep` wants.
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
            let imports: Vec<(String, u32)> = segment.imports(&record).collect();
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
        let mut names: Vec<(Box<str>, u32)> = self.names.into_iter().collect();
        names.sort_unstable();
        // Names were numbered in the order of their appearance; the file has them sorted, with a table
        // from the old numbers, so that nothing written before needs to be touched.
        let mut name_order = vec![0_u32; names.len()];
        let (mut name_offsets, mut name_bytes) = (Vec::new(), Vec::new());
        let (mut user_offsets, mut user_bytes) = (Vec::new(), Vec::new());
        let mut sorted_to_number = Vec::new();
        for (sorted, (name, number)) in names.iter().enumerate() {
            name_order[*number as usize] = sorted as u32;
            sorted_to_number.extend_from_slice(&number.to_le_bytes());
            push_u32(&mut name_offsets, name_bytes.len());
            name_bytes.extend_from_slice(name.as_bytes());
            push_u32(&mut user_offsets, user_bytes.len());
            user_bytes.extend_from_slice(&self.users[*number as usize].0);
        }
        push_u32(&mut name_offsets, name_bytes.len());
        push_u32(&mut user_offsets, user_bytes.len());
        let name_order: Vec<u8> =
            name_order.iter().flat_map(|sorted| sorted.to_le_bytes()).collect();
        let mut terms: Vec<(Box<[u8]>, u32)> = self.terms.into_iter().collect();
        terms.sort_unstable();
        let (mut term_offsets, mut term_bytes) = (Vec::new(), Vec::new());
        let (mut posting_offsets, mut posting_bytes) = (Vec::new(), Vec::new());
        for (term, number) in &terms {
            push_u32(&mut term_offsets, term_bytes.len());
            term_bytes.extend_from_slice(term);
            push_u32(&mut posting_offsets, posting_bytes.len());
            posting_bytes.extend_from_slice(&self.postings[*number as usize].0);
        }
        push_u32(&mut term_offsets, term_bytes.len());
        push_u32(&mut posting_offsets, posting_bytes.len());
        segment::encode(&[
            &self.files,
            &self.paths,
            &self.units,
            &self.references,
            &self.imports,
            &name_offsets,
            &name_bytes,
            &name_order,
            &user_offsets,
            &user_bytes,
            &term_offsets,
            &term_bytes,
            &posting_offsets,
            &posting_bytes,
            &sorted_to_number,
        ])
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.names.insert(Box::from(name), number);
        self.users.push((Vec::new(), 0));
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
        // Small counts and no name are most of all: one byte for both.
        push_varint(bytes, u32::from(count) << 1 | u32::from(named));
        *next = unit + 1;
    }

    fn unit(&mut self, unit: &Unit) {
        segment::push_unit(&mut self.units, unit);
        self.unit_count += 1;
    }

    fn uses(&mut self, uses: &[Use]) {
        let (mut last_unit, mut last_line) = (0, 0);
        for used in uses {
            push_varint(&mut self.references, used.name << 1 | u32::from(used.is_call));
            push_varint(&mut self.references, used.unit.wrapping_sub(last_unit));
            // Lines go back where a unit's own text follows that of an inner one.
            let line = used.line.wrapping_sub(last_line) as i32;
            push_varint(&mut self.references, (line << 1 ^ line >> 31) as u32);
            (last_unit, last_line) = (used.unit, used.line);
            let (bytes, next) = &mut self.users[used.name as usize];
            if *next <= self.file_count {
                push_varint(bytes, self.file_count - *next);
                *next = self.file_count + 1;
            }
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

    fn end_file(&mut self, imports: &[(String, u32)]) {
        for (module, line) in imports {
            push_varint(&mut self.imports, *line);
            push_varint(&mut self.imports, module.len() as u32);
            self.imports.extend_from_slice(module.as_bytes());
        }
        segment::close_file(
            &mut self.files,
            self.unit_count,
            self.references.len() as u32,
            self.imports.len() as u32,
        );
        self.file_count += 1;
    }

    /// The number here of a name that has `number` in a segment.
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

fn push_u32(out: &mut Vec<u8>, number: usize) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}
