//! `impact`: what a change can break: what depends on it, and which tests to run. The change is a file, a
//! symbol, or the difference between the work tree and HEAD. Dependence is found by name and import, so there are
//! false positives rather than omissions; a score says how near and how certain each is.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;

use serde::Serialize;

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::git::{Change, Changed, GIT_PART, Git};
use crate::graph::{DefId, Graph};
use crate::tools::frame;
use crate::tools::symbol::{definitions, known_file, label};
use crate::view::{FileId, View};

/// The most items of one answer.
pub const MAX_ITEMS: usize = 500;

/// The most steps from the change.
pub const MAX_DEPTH: u8 = 5;

/// Factor for each further step: an indirect dependant is less likely to break.
const STEP: f32 = 0.6;

/// Certainty that a file that imports a changed file depends on what changed in it.
const IMPORT: f32 = 0.5;

/// Factor for a name that is mentioned and not called: as a type, a value, an import.
const MENTION: f32 = 0.8;

/// Dependants with a lower score are left out.
const SCORE_MIN: f32 = 0.04;

/// How many symbols are followed.
const VISITED_MAX: usize = 5_000;

/// What is changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file, from the root.
    File(String),
    /// A symbol: `next`, `Parser::next`.
    Symbol(String),
    /// The difference between the work tree and HEAD.
    WorkingDiff,
}

/// The request: whose dependants to find.
#[derive(Clone, Debug)]
pub struct ImpactRequest {
    /// What is changed.
    pub target: Target,
    /// How many steps to follow, at most [`MAX_DEPTH`].
    pub depth: u8,
    /// How many items to return, at most [`MAX_ITEMS`].
    pub limit: usize,
    /// The `PATH` on which git is looked up.
    pub program_path: OsString,
}

/// The relation of an item to the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// It changed itself.
    Changed,
    /// A test to run.
    Test,
    /// It uses what changed.
    User,
    /// A file that imports what changed.
    Importer,
}

/// One affected place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Impacted {
    /// The file, relative to the root.
    pub path: String,
    /// The definition; none for a file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its first line, from 1; 0 for a file as a whole.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// How near and how certain it is, from 0 to 1.
    pub score: f64,
    /// How it depends on the change.
    pub why: Vec<String>,
    /// Its relation to the change.
    pub relation: Relation,
    /// How many steps away it is; 0 for what changed.
    pub depth: u8,
}

/// An affected place: a definition, or the code of a file outside of all definitions.
type Node = (FileId, Option<DefId>);

struct Reached {
    depth: u8,
    score: f32,
    why: String,
    relation: Relation,
}

/// Finds what a change can break.
///
/// # Errors
/// [`EngineError::Unknown`] when there is no such symbol or file, or when there is no index. A working
/// diff without git has no items, and a limit that says why.
pub fn impact(
    engine: &Engine,
    request: &ImpactRequest,
    deadline: &Deadline,
) -> Result<Answer<Impacted>, EngineError> {
    impact_in(&engine.view(deadline)?, request, deadline)
}

/// The same for one view.
///
/// # Errors
/// As [`impact`], but for the index.
pub fn impact_in(
    view: &View,
    request: &ImpactRequest,
    deadline: &Deadline,
) -> Result<Answer<Impacted>, EngineError> {
    frame::answer("impact", view, deadline, |limits| {
        let mut items = impacted(view, request, deadline, limits)?;
        frame::cut(&mut items, request.limit.clamp(1, MAX_ITEMS), "places", limits);
        Ok(items)
    })
}

/// All affected places, the changed ones first.
fn impacted(
    view: &View,
    request: &ImpactRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Result<Vec<Impacted>, EngineError> {
    let graph = Graph::new(view);
    let mut changed = ChangedPlaces::default();
    match &request.target {
        Target::File(path) => changed.add_file(&graph, known_file(&graph, path)?, "it changes"),
        Target::Symbol(symbol) => {
            for id in definitions(&graph, symbol, None)? {
                changed.places.insert((id.file, Some(id)), "it changes".to_owned());
            }
        }
        Target::WorkingDiff => {
            let due = deadline.part(GIT_PART);
            let changes = Git::open(view.root(), view.folder(), &request.program_path, &due)
                .and_then(|git| git.changes(&due));
            match changes {
                Ok(changes) => changed.add_diff(&graph, &changes, limits),
                Err(error) => limits.push(error.to_string()),
            }
        }
    }
    let whole = changed.whole;
    let mut search =
        Search { graph: &graph, whole, reached: BTreeMap::new(), queue: VecDeque::new() };
    for (node, why) in changed.places {
        search.reach(node, Reached { depth: 0, score: 1.0, why, relation: Relation::Changed });
    }
    search.follow(request.depth.clamp(1, MAX_DEPTH), deadline, limits);
    search.add_tests(deadline, limits);
    Ok(search.items())
}

/// The changed places, with the reasons.
#[derive(Default)]
struct ChangedPlaces {
    places: BTreeMap<Node, String>,
    /// Files that changed as a whole: their definitions are followed, but not listed one by one.
    whole: BTreeSet<FileId>,
}

impl ChangedPlaces {
    /// Adds a file with all its definitions.
    fn add_file(&mut self, graph: &Graph, file: FileId, why: &str) {
        let definitions = graph.definitions_in(file).into_iter().map(Some);
        let nodes = std::iter::once(None).chain(definitions).map(|id| (file, id));
        self.places.extend(nodes.map(|node| (node, why.to_owned())));
        self.whole.insert(file);
    }

    /// Adds what a diff changes, as far as the index has it.
    fn add_diff(&mut self, graph: &Graph, changes: &[Changed], limits: &mut Vec<String>) {
        let known = graph.view().by_path();
        for Changed { path, change } in changes {
            match (change, known.get(path.as_str())) {
                (Change::Removed, _) => {
                    limits.push(format!("{path} was removed: who used it is not known any more"));
                }
                (_, None) => {}
                (Change::Added, Some(file)) => self.add_file(graph, *file, "it is new"),
                (Change::Modified { lines }, Some(file)) => {
                    for range in lines {
                        let why = format!("lines {}-{} changed", range.start, range.end);
                        // The innermost definition around a changed line, not all of them.
                        let touched =
                            range.lines().map(|line| (*file, graph.enclosing(*file, line)));
                        self.places.extend(touched.map(|node| (node, why.clone())));
                    }
                }
            }
        }
    }
}

struct Search<'g> {
    graph: &'g Graph<'g>,
    whole: BTreeSet<FileId>,
    reached: BTreeMap<Node, Reached>,
    queue: VecDeque<Node>,
}

impl Search<'_> {
    /// Records a node if it is new, or nearer than recorded.
    fn reach(&mut self, node: Node, reached: Reached) {
        let is_better = self.reached.get(&node).is_none_or(|known| {
            known.depth > reached.depth
                || known.depth == reached.depth && known.score < reached.score
        });
        if is_better && reached.score >= SCORE_MIN {
            self.reached.insert(node, reached);
            self.queue.push_back(node);
        }
    }

    fn follow(&mut self, depth_max: u8, deadline: &Deadline, limits: &mut Vec<String>) {
        let mut followed: BTreeSet<Node> = BTreeSet::new();
        while let Some(node) = self.queue.pop_front() {
            let (depth, score) = (self.reached[&node].depth, self.reached[&node].score);
            if depth >= depth_max || !followed.insert(node) {
                continue;
            }
            if deadline.passed() || self.reached.len() > VISITED_MAX {
                let what =
                    if deadline.passed() { "time was over" } else { "too much depends on it" };
                limits.push(format!("{what}: what is {} steps away is not complete", depth + 1));
                break;
            }
            match node {
                (_, Some(definition)) => self.users_of(definition, depth, score, deadline),
                // The users of a definition in the file are found through the definition.
                (file, None) if depth == 0 => self.importers_of(file, score),
                (_, None) => {}
            }
        }
    }

    fn users_of(&mut self, definition: DefId, depth: u8, score: f32, deadline: &Deadline) {
        let name = self.graph.qualified(definition);
        let step = if depth == 0 { 1.0 } else { STEP };
        for call in self.graph.callers_until(definition, deadline) {
            if self.whole.contains(&call.from_file) {
                continue;
            }
            let (verb, weight) = if call.is_call { ("calls", 1.0) } else { ("names", MENTION) };
            let reached = Reached {
                depth: depth + 1,
                score: score * call.certainty * weight * step,
                why: format!("{verb} {name} in line {}", call.line),
                relation: self.relation(call.from_file, Relation::User),
            };
            self.reach((call.from_file, call.from), reached);
        }
    }

    fn importers_of(&mut self, file: FileId, score: f32) {
        let path = self.graph.view().file(file).path;
        for importer in self.graph.importers(file) {
            let relation = self.relation(importer, Relation::Importer);
            let why = format!("imports {path}");
            let reached = Reached { depth: 1, score: score * IMPORT, why, relation };
            self.reach((importer, None), reached);
        }
    }

    fn relation(&self, file: FileId, otherwise: Relation) -> Relation {
        if self.graph.view().file(file).is_test { Relation::Test } else { otherwise }
    }

    /// Adds the tests that belong to files that changed or use what changed.
    fn add_tests(&mut self, deadline: &Deadline, limits: &mut Vec<String>) {
        let mut files: BTreeMap<FileId, (u8, f32)> = BTreeMap::new();
        for ((file, _), reached) in self.reached.iter().filter(|(_, reached)| reached.depth <= 1) {
            let best = files.entry(*file).or_insert((reached.depth, reached.score));
            if (reached.depth, -reached.score) < (best.0, -best.1) {
                *best = (reached.depth, reached.score);
            }
        }
        for (file, (depth, score)) in files {
            if deadline.passed() {
                limits.push("time was over: not all tests were found".to_owned());
                break;
            }
            let path = self.graph.view().file(file).path;
            for test in self.graph.tests_of(file) {
                let why = format!("tests {path}");
                let score = score * if depth == 0 { 0.9 } else { IMPORT };
                let relation = Relation::Test;
                self.reach((test, None), Reached { depth: depth + 1, score, why, relation });
            }
        }
    }

    /// The changed places first, then tests, then the rest, each by score. A file as a whole is left out where
    /// a definition in it is listed for the same reason.
    fn items(&self) -> Vec<Impacted> {
        let is_part = |(file, id): &Node| id.is_some() && self.whole.contains(file);
        let mut items: Vec<Impacted> = self
            .reached
            .iter()
            .filter(|(node, reached)| reached.depth > 0 || !is_part(node))
            .map(|(node, reached)| self.item(*node, reached))
            .collect();
        let users: BTreeSet<String> = items
            .iter()
            .filter(|item| item.relation == Relation::User && item.symbol.is_some())
            .map(|item| item.path.clone())
            .collect();
        let is_import = |item: &Impacted| {
            item.symbol.is_none() && matches!(item.relation, Relation::Importer | Relation::User)
        };
        items.retain(|item| !is_import(item) || !users.contains(&item.path));
        items.sort_by(|a, b| {
            let kind = |item: &Impacted| matches!(item.relation, Relation::Changed);
            let first = kind(b).cmp(&kind(a));
            let score = || b.score.total_cmp(&a.score);
            let place = || (&a.path, a.start_line).cmp(&(&b.path, b.start_line));
            first.then_with(score).then_with(place)
        });
        items
    }

    fn item(&self, (file, definition): Node, reached: &Reached) -> Impacted {
        let lines = definition.map(|id| self.graph.definition(id));
        Impacted {
            path: self.graph.view().file(file).path.to_owned(),
            symbol: definition.map(|id| label(self.graph, file, Some(id))),
            start_line: lines.map_or(0, |definition| definition.start_line),
            end_line: lines.map_or(0, |definition| definition.end_line),
            score: f64::from(reached.score),
            why: vec![reached.why.clone()],
            relation: reached.relation,
            depth: reached.depth,
        }
    }
}

#[cfg(test)]
mod tests;
