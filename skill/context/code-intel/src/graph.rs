//! The graph of definitions, calls and imports. Names are resolved without types: a call
//! refers to every nearby definition of its name, and [`Call::certainty`] tells how certain that is.

mod imports;
mod locality;
mod resolve;

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::deadline::Deadline;
use crate::index::draft::{NONE, Unit, Use};
use crate::index::segment::Segment;
use crate::outline::DefinitionKind;
use crate::view::{FileId, View};
use imports::Imports;
use locality::Locality;

/// How often the clock is checked, in files.
const CLOCK_EVERY: usize = 32;

/// A definition of one [`View`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefId {
    pub(crate) file: FileId,
    /// The index in its file, from 1; 0 is the file itself.
    pub(crate) unit: u32,
}

/// A definition.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'v> {
    /// Its number.
    pub id: DefId,
    /// The file that it is in.
    pub file: FileId,
    /// Its name, without its parents.
    pub name: &'v str,
    /// Its kind.
    pub kind: DefinitionKind,
    /// Its first line, from 1.
    pub start_line: u32,
    /// Its last line, inclusive.
    pub end_line: u32,
    /// The enclosing definition.
    pub parent: Option<DefId>,
}

/// A call, or another use, of a definition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call {
    /// The calling file.
    pub from_file: FileId,
    /// The calling definition; `None` for code outside of every definition.
    pub from: Option<DefId>,
    /// The called definition.
    pub to: DefId,
    /// The line of the call.
    pub line: u32,
    /// Whether it is a call; otherwise the name is only mentioned, as a type or a value.
    pub is_call: bool,
    /// Certainty that this definition is meant, from 0 to 1.
    pub certainty: f32,
}

/// One import of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is imported, as written.
    pub text: String,
    /// Line of the import, from 1.
    pub line: u32,
    /// The imported file, if it is in the repository.
    pub target: Option<FileId>,
}

/// The graph of one view. Data about the whole repository is computed on first use.
pub struct Graph<'v> {
    view: &'v View,
    imports: OnceCell<Imports<'v>>,
    /// The definitions of each name that was looked up.
    names: RefCell<FxHashMap<String, Rc<[DefId]>>>,
    /// By the file's index.
    places: OnceCell<Vec<Locality>>,
}

impl<'v> Graph<'v> {
    /// The graph of a view.
    #[must_use]
    pub fn new(view: &'v View) -> Self {
        let (imports, names, places) = Default::default();
        Self { view, imports, names, places }
    }

    /// The view of the index.
    #[must_use]
    pub fn view(&self) -> &'v View {
        self.view
    }

    /// Looks a definition up by its id.
    #[must_use]
    pub fn definition(&self, id: DefId) -> Definition<'v> {
        let (segment, record) = self.view.record(id.file);
        let unit = segment.unit(record.first_unit + id.unit.min(record.unit_count));
        Definition {
            id,
            file: id.file,
            name: segment.name(unit.name),
            kind: DefinitionKind::from_number(unit.kind).unwrap_or(DefinitionKind::Constant),
            start_line: unit.start_line,
            end_line: unit.end_line,
            parent: parent(id, &unit),
        }
    }

    /// The name with its parents: `Parser::next` in Rust and C++, `Parser.next` elsewhere.
    #[must_use]
    pub fn qualified(&self, id: DefId) -> String {
        use crate::language::Language::{Cpp, Rust};
        let (segment, record) = self.view.record(id.file);
        let mut parts = Vec::new();
        let mut next = Some(id);
        // A damaged index may have a cycle of parents.
        for _ in 0..16 {
            let Some(id) = next else { break };
            let unit = segment.unit(record.first_unit + id.unit);
            parts.push(segment.name(unit.name));
            if unit.scope != NONE {
                parts.push(segment.name(unit.scope));
            }
            next = parent(id, &unit);
        }
        parts.dedup();
        parts.reverse();
        parts.join(if matches!(record.language, Some(Rust | Cpp)) { "::" } else { "." })
    }

    /// The definitions of a file, in the order of their first line.
    #[must_use]
    pub fn definitions_in(&self, file: FileId) -> Vec<DefId> {
        let (_, record) = self.view.record(file);
        (1..record.unit_count).map(|unit| DefId { file, unit }).collect()
    }

    /// The innermost definition around a line.
    #[must_use]
    pub fn enclosing(&self, file: FileId, line: u32) -> Option<DefId> {
        let (segment, record) = self.view.record(file);
        let around = |unit: &u32| {
            let unit = segment.unit(record.first_unit + unit);
            (unit.start_line..=unit.end_line).contains(&line)
        };
        // Children come after their parents.
        (1..record.unit_count).rev().find(around).map(|unit| DefId { file, unit })
    }

    /// The definitions with a name: `next`, or with a part of its parents `Parser::next`.
    #[must_use]
    pub fn named(&self, name: &str) -> Vec<DefId> {
        let mut parts: Vec<&str> =
            name.split([':', '.', '#', '/']).filter(|part| !part.is_empty()).collect();
        let Some(last) = parts.pop() else { return Vec::new() };
        let found = self.with_name(last.trim_end_matches("()"));
        if parts.is_empty() {
            return found.to_vec();
        }
        let fits = |id: &DefId| {
            let qualified = self.qualified(*id);
            let own: Vec<&str> =
                qualified.split([':', '.']).filter(|part| !part.is_empty()).collect();
            let path = self.view.file(id.file).path;
            let mut own = own.iter().rev().skip(1);
            parts.iter().rev().all(|part| {
                own.any(|name| name == part) || path.split(['/', '.']).any(|folder| folder == *part)
            })
        };
        found.iter().copied().filter(fits).collect()
    }

    /// The definitions that a definition calls or mentions.
    #[must_use]
    pub fn callees(&self, id: DefId) -> Vec<Call> {
        let (segment, record) = self.view.record(id.file);
        let mut candidates: FxHashMap<u32, Vec<(DefId, f32)>> = FxHashMap::default();
        let mut calls = Vec::new();
        let of_unit = |used: &Use| used.unit == id.unit;
        // In the order of the units.
        let uses = segment.uses(&record).skip_while(|used| used.unit < id.unit);
        for used in uses.take_while(of_unit) {
            let found = candidates
                .entry(used.name)
                .or_insert_with(|| self.resolve(segment.name(used.name), id.file));
            let from = Some(id).filter(|id| id.unit > 0);
            calls.extend(found.iter().filter(|(to, _)| *to != id || used.is_call == 1).map(
                |(to, certainty)| Call {
                    from_file: id.file,
                    from,
                    to: *to,
                    line: used.line,
                    is_call: used.is_call == 1,
                    certainty: *certainty,
                },
            ));
        }
        calls
    }

    /// The uses of a definition.
    #[must_use]
    pub fn callers(&self, id: DefId) -> Vec<Call> {
        self.callers_in(id, self.users(self.definition(id).name), None)
    }

    /// The uses of a definition that are found before the deadline.
    #[must_use]
    pub fn callers_until(&self, id: DefId, deadline: &Deadline) -> Vec<Call> {
        self.callers_in(id, self.users(self.definition(id).name), Some(deadline))
    }

    /// The uses of a definition in this many of the files that use its name: those
    /// nearest to it.
    #[must_use]
    pub fn callers_among(&self, id: DefId, most_files: usize) -> Vec<Call> {
        let mut users = self.users(self.definition(id).name);
        if users.len() > most_files {
            let own = self.view.file(id.file).path;
            users.sort_by_cached_key(|(file, _, _)| {
                let path = self.view.file(*file).path;
                let shared = path.bytes().zip(own.bytes()).take_while(|(one, other)| one == other);
                (std::cmp::Reverse(shared.count()), *file)
            });
            users.truncate(most_files);
        }
        self.callers_in(id, users, None)
    }

    fn callers_in(
        &self,
        id: DefId,
        users: Vec<(FileId, &'v Segment, u32)>,
        deadline: Option<&Deadline>,
    ) -> Vec<Call> {
        let name = self.definition(id).name;
        let mut calls = Vec::new();
        for (position, (file, segment, number)) in users.into_iter().enumerate() {
            let look = position.is_multiple_of(CLOCK_EVERY);
            if look && deadline.is_some_and(Deadline::passed) {
                break;
            }
            let certainty = self.certainty(name, file, id);
            if certainty <= 0.0 {
                continue;
            }
            let (_, record) = self.view.record(file);
            for used in segment.uses(&record).filter(|used| used.name == number) {
                let from = DefId { file, unit: used.unit };
                if from == id && used.is_call == 0 {
                    continue;
                }
                calls.push(Call {
                    from_file: file,
                    from: Some(from).filter(|from| from.unit > 0),
                    to: id,
                    line: used.line,
                    is_call: used.is_call == 1,
                    certainty,
                });
            }
        }
        calls.sort_by_key(|call| (call.from_file, call.line));
        calls
    }

    /// Number of files that use a name.
    #[must_use]
    pub fn user_count(&self, name: &str) -> usize {
        self.users(name).len()
    }

    /// The imports of a file.
    #[must_use]
    pub fn imports(&self, file: FileId) -> Vec<Import> {
        self.all_imports().of(self.view, file)
    }

    /// The files that import a file.
    #[must_use]
    pub fn importers(&self, file: FileId) -> Vec<FileId> {
        self.all_imports().importers(self.view, file)
    }

    /// The tests of a file: test files that import it, or are named after it.
    #[must_use]
    pub fn tests_of(&self, file: FileId) -> Vec<FileId> {
        let path = self.view.file(file).path;
        let wanted = stem(path);
        let mut tests: Vec<FileId> = self
            .importers(file)
            .into_iter()
            .filter(|importer| self.view.file(*importer).is_test)
            .collect();
        let tests_only =
            self.view.files().filter(|other| other.is_test && other.language.is_some());
        let named = tests_only.filter(|other| {
            let stem = stem(other.path);
            let plain =
                [stem.strip_prefix("test_"), stem.strip_suffix("_test"), stem.strip_suffix("Test")];
            plain.contains(&Some(wanted))
        });
        tests.extend(named.map(|file| file.id));
        tests.sort_unstable();
        tests.dedup();
        tests.retain(|test| *test != file);
        tests
    }

    fn all_imports(&self) -> &Imports<'v> {
        self.imports.get_or_init(|| Imports::new(self.view))
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

fn parent(id: DefId, unit: &Unit) -> Option<DefId> {
    (unit.parent > 0 && unit.parent < id.unit).then_some(DefId { file: id.file, unit: unit.parent })
}
