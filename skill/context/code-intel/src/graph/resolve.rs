//! Resolves a name to the definitions that it may refer to.

use std::cell::OnceCell;
use std::rc::Rc;

use super::locality::{self, Locality};
use super::{DefId, Graph};
use crate::index::segment::Segment;
use crate::view::FileId;

/// Maximum number of definitions of a name; a more frequent name is not resolved.
const MAX_CANDIDATES: usize = 200;
/// Maximum number of results for one use.
const MAX_MEANT: usize = 8;

/// Certainty by the distance between definition and use.
const SAME_FILE: f32 = 1.0;
const IMPORTED: f32 = 0.9;
const SAME_FOLDER: f32 = 0.6;
const ELSEWHERE: f32 = 0.4;

impl<'v> Graph<'v> {
    /// The definitions with exactly this name.
    pub(super) fn with_name(&self, name: &str) -> Rc<[DefId]> {
        if let Some(known) = self.names.borrow().get(name) {
            return known.clone();
        }
        let found: Rc<[DefId]> = self.look_up(name).into();
        self.names.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn look_up(&self, name: &str) -> Vec<DefId> {
        let mut found = Vec::new();
        for (number, segment) in self.view.segments().iter().enumerate() {
            let Some((_, sorted)) = segment.find_name(name) else { continue };
            for unit in segment.definers(sorted) {
                let file = file_of_unit(segment, unit);
                let unit = unit - segment.file(file).first_unit;
                let file = self.view.id(number, file);
                if self.view.is_live(file) && unit > 0 {
                    found.push(DefId { file, unit });
                }
                if found.len() >= MAX_CANDIDATES {
                    return found;
                }
            }
        }
        found
    }

    /// The definitions whose name contains a text, ignoring case; at most `limit`.
    #[must_use]
    pub fn named_like(&self, text: &str, limit: usize) -> Vec<DefId> {
        let text = text.rsplit([':', '.', '#']).next().unwrap_or(text).to_ascii_lowercase();
        let wanted = text.trim_matches('_');
        let mut found = Vec::new();
        if wanted.len() < 3 {
            return found;
        }
        for (number, segment) in self.view.segments().iter().enumerate() {
            let mut last = None;
            for at in memchr::memmem::find_iter(segment.all_terms(), wanted) {
                let place = segment.term_around(at);
                if last.replace(place) == Some(place) || found.len() >= limit {
                    continue;
                }
                for posting in segment.postings(place).filter(|posting| posting.named == 1) {
                    let unit = segment.unit(posting.unit);
                    let name = segment.name(unit.name).to_ascii_lowercase();
                    let file = file_of_unit(segment, posting.unit);
                    let id = self.view.id(number, file);
                    if name.contains(wanted) && self.view.is_live(id) && found.len() < limit {
                        let unit = posting.unit - segment.file(file).first_unit;
                        found.push(DefId { file: id, unit });
                    }
                }
            }
        }
        found
    }

    /// The definitions that a name may refer to in a file, by descending certainty.
    pub(super) fn resolve(&self, name: &str, from: FileId) -> Vec<(DefId, f32)> {
        let candidates = self.with_name(name);
        let here = Here::new(self, from);
        // A single definition is meant, imported or not.
        if let [only] = candidates[..] {
            let certainty = here.certainty_of_the_only(only);
            return if certainty > 0.0 { vec![(only, certainty)] } else { Vec::new() };
        }
        let mut near: Vec<(DefId, f32)> =
            candidates.iter().map(|id| (*id, here.nearness(*id))).collect();
        let best = near.iter().map(|(_, nearness)| *nearness).fold(0.0, f32::max);
        if best <= 0.0 {
            return Vec::new();
        }
        near.retain(|(_, nearness)| *nearness >= best);
        near.sort_by_key(|(id, _)| *id);
        let share = (near.len() as f32).sqrt();
        near.truncate(MAX_MEANT);
        near.into_iter().map(|(id, nearness)| (id, nearness / share)).collect()
    }

    /// The certainty that a name in a file refers to this definition; 0 if another is nearer. The same
    /// result as from [`Graph::resolve`], which computes all of them.
    pub(super) fn certainty(&self, name: &str, from: FileId, id: DefId) -> f32 {
        let candidates = self.with_name(name);
        let here = Here::new(self, from);
        if let [only] = candidates[..] {
            return if only == id { here.certainty_of_the_only(only) } else { 0.0 };
        }
        let own = here.nearness(id);
        if own <= 0.0 || !candidates.contains(&id) {
            return 0.0;
        }
        let (mut as_near, mut before) = (0_usize, 0_usize);
        for candidate in candidates.iter() {
            let nearness = here.nearness(*candidate);
            if nearness > own {
                return 0.0;
            }
            if nearness >= own {
                as_near += 1;
                before += usize::from(*candidate < id);
            }
        }
        if before < MAX_MEANT { own / (as_near as f32).sqrt() } else { 0.0 }
    }

    /// The files that use a name, each with its segment and the name's number there.
    pub(super) fn users(&self, name: &str) -> Vec<(FileId, &'v Segment, u32)> {
        let mut users = Vec::new();
        for (segment_number, segment) in self.view.segments().iter().enumerate() {
            let Some((number, sorted)) = segment.find_name(name) else { continue };
            let files = segment.users(sorted).map(|file| self.view.id(segment_number, file));
            users.extend(files.filter(|id| self.view.is_live(*id)).map(|id| (id, segment, number)));
        }
        users
    }

    fn place(&self, file: FileId) -> Locality {
        let places = self.places.get_or_init(|| locality::places(self.view));
        places.get(file.0 as usize).copied().unwrap_or_default()
    }
}

/// A file that uses names.
struct Here<'g, 'v> {
    graph: &'g Graph<'v>,
    file: FileId,
    place: Locality,
    /// Its imports, sorted; computed on first use.
    imported: OnceCell<Rc<[FileId]>>,
}

impl<'g, 'v> Here<'g, 'v> {
    fn new(graph: &'g Graph<'v>, file: FileId) -> Self {
        Self { graph, file, place: graph.place(file), imported: OnceCell::new() }
    }

    fn certainty_of_the_only(&self, id: DefId) -> f32 {
        match id.file {
            file if file == self.file => SAME_FILE,
            file if self.graph.place(file).family == self.place.family => IMPORTED,
            _ => 0.0,
        }
    }

    fn nearness(&self, id: DefId) -> f32 {
        if id.file == self.file {
            return SAME_FILE;
        }
        let there = self.graph.place(id.file);
        if there.family != self.place.family {
            return 0.0;
        }
        let imports = || self.graph.all_imports().targets_of(self.graph.view, self.file);
        if self.imported.get_or_init(imports).binary_search(&id.file).is_ok() {
            return IMPORTED;
        }
        if there.folder == self.place.folder { SAME_FOLDER } else { ELSEWHERE }
    }
}

/// The file of a unit: the last that begins at or before it.
pub(crate) fn file_of_unit(segment: &Segment, unit: u32) -> u32 {
    let (mut low, mut high) = (0, segment.file_count());
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        if segment.file(middle).first_unit <= unit { low = middle } else { high = middle }
    }
    low
}
