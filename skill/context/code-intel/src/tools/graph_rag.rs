//! `graph_rag`: the part of the repository that a prompt is about: the definitions that
//! match best, their callers and callees, the files they import, and their tests; ranked, and
//! with source lines up to a budget.

use std::panic::resume_unwind;
use std::sync::Arc;

use serde::Serialize;

use crate::answer::{Answer, Item};
use crate::context::Context;
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::graph::{Call, DefId, Graph};
use crate::rank::score::{Ranked, Ranking};
use crate::snippet::Excerpts;
use crate::tools::rankings::Rankings;
use crate::tools::search::{Snippets, item, round};
use crate::tools::{breadth, frame};
use crate::view::{FileId, View};

/// The largest distance from a matching definition.
pub const MAX_DEPTH: u32 = 2;
/// The largest number of matching files.
pub const MAX_TOP: usize = 50;
/// The largest budget, in tokens of about four characters.
pub const MAX_BUDGET_TOKENS: usize = 32_000;

/// Characters of source per token, about: the unit of the budget.
const TOKEN_BYTES: usize = 4;
/// What a node takes of the budget besides its snippet, in bytes.
const NODE_BYTES: usize = 160;
/// How many of the best definitions of one file are taken.
const BEST_OF_FILE: usize = 2;
/// How many neighbours of each kind are taken for one definition.
const NEIGHBOURS: usize = 4;
/// Factor for a neighbour, compared with its definition.
const STEP: f32 = 0.5;
/// In how many of the files that use a definition's name callers are searched.
const CALLING_FILES: usize = 64;
/// Calls of lower certainty are not followed.
const MIN_CERTAINTY: f32 = 0.2;
/// How many lines a snippet has at most.
const SNIPPET_LINES: u32 = 40;
/// How many nodes, the best, may have a snippet: the others are not read, since each is a file to open.
const SNIPPETS_MAX: usize = 32;

/// The request.
#[derive(Clone, Debug)]
pub struct GraphRagRequest {
    /// The user's request.
    pub prompt: String,
    /// How far to go from the matches, at most [`MAX_DEPTH`].
    pub depth: u32,
    /// How many matching files are taken, at most [`MAX_TOP`].
    pub top_k: usize,
    /// The budget for the text, at most [`MAX_BUDGET_TOKENS`].
    pub budget_tokens: usize,
    /// Whether to return lines: reading and masking them is half of the work.
    pub snippets: Snippets,
}

/// Why a node is in the sub-graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It matches the prompt.
    Match,
    /// It calls or mentions a match.
    Caller,
    /// A match calls or mentions it.
    Callee,
    /// A matching file imports it.
    Import,
    /// It tests a matching file.
    Test,
}

/// One node of the sub-graph.
#[derive(Clone, Debug, Serialize)]
pub struct Node {
    /// The file, relative to the root.
    pub path: String,
    /// The definition; `None` for the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The first line, from 1; 0 for the file as a whole.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// How well it matches, comparable within one answer.
    pub score: f64,
    /// Why it is included.
    pub role: Role,
    /// The reasons in words.
    pub why: Vec<String>,
    /// Edges to other nodes, by their position in the answer.
    pub edges: Vec<Edge>,
    /// Its source lines, as far as the budget allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// An edge from one node to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// `calls`, `imports` or `tests`.
    pub kind: &'static str,
    /// The other node's position in the answer.
    pub to: usize,
    /// The line of the call; 0 where there is none.
    pub line: u32,
}

/// Finds the sub-graph.
///
/// # Errors
/// [`EngineError::EmptyQuestion`], or when there is no index.
pub fn graph_rag(
    engine: &Engine,
    request: &GraphRagRequest,
    deadline: &Deadline,
) -> Result<Answer<Node>, EngineError> {
    graph_rag_in(&engine.view(deadline)?, request, deadline)
}

/// Finds the sub-graph of one view.
///
/// # Errors
/// [`EngineError::EmptyQuestion`].
pub fn graph_rag_in(
    view: &View,
    request: &GraphRagRequest,
    deadline: &Deadline,
) -> Result<Answer<Node>, EngineError> {
    let ranking = ranking_of(view, request, &Rankings::default(), deadline)?;
    frame::answer("graph_rag", view, deadline, |limits| {
        Ok(nodes(view, request, &ranking, deadline, limits))
    })
}

/// An answer, and the broad list from the same ranking.
#[derive(Clone, Debug, Serialize)]
pub struct Gathered {
    /// The sub-graph.
    #[serde(flatten)]
    pub answer: Answer<Node>,
    /// Files and functions beyond the sub-graph, as names for a text.
    #[serde(skip)]
    pub context: Context,
}

/// Finds the sub-graph of one view, and the broad list of files and functions.
///
/// # Errors
/// [`EngineError::EmptyQuestion`].
pub fn gather_in(
    view: &View,
    request: &GraphRagRequest,
    rankings: &Rankings,
    deadline: &Deadline,
) -> Result<Gathered, EngineError> {
    let ranking = ranking_of(view, request, rankings, deadline)?;
    // They are independent, and the caller waits for both.
    let (context, answer) = std::thread::scope(|threads| {
        let context = threads.spawn(|| breadth::context(view, &ranking.files, deadline));
        let answer = frame::answer("graph_rag", view, deadline, |limits| {
            Ok(nodes(view, request, &ranking, deadline, limits))
        });
        (context.join().unwrap_or_else(|panic| resume_unwind(panic)), answer)
    });
    Ok(Gathered { answer: answer?, context })
}

/// Builds only the broad list of files and functions, as much as a text for a model has room for.
///
/// # Errors
/// [`EngineError::EmptyQuestion`].
pub fn context_in(
    view: &View,
    request: &GraphRagRequest,
    deadline: &Deadline,
) -> Result<Context, EngineError> {
    let ranking = ranking_of(view, request, &Rankings::default(), deadline)?;
    Ok(breadth::context(view, &ranking.files, deadline))
}

fn ranking_of(
    view: &View,
    request: &GraphRagRequest,
    rankings: &Rankings,
    deadline: &Deadline,
) -> Result<Arc<Ranking>, EngineError> {
    if request.prompt.trim().is_empty() {
        return Err(EngineError::EmptyQuestion);
    }
    Ok(rankings.of(view, &request.prompt, deadline))
}

/// The nodes of the sub-graph, best first.
fn nodes(
    view: &View,
    request: &GraphRagRequest,
    ranking: &Ranking,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Vec<Node> {
    if ranking.truncated {
        limits.push("time was over before all words were looked up".to_owned());
    }
    let graph = Graph::new(view);
    let mut found = SubGraph { graph: &graph, nodes: Vec::new(), links: Vec::new() };
    let top = &ranking.files[..ranking.files.len().min(request.top_k.clamp(1, MAX_TOP))];
    found.seed(top);
    let seeds = found.nodes.len();
    let depth = request.depth.min(MAX_DEPTH);
    if !found.spread(depth, seeds, deadline) {
        limits.push("time was over before all neighbours were found".to_owned());
    }
    found.files_around(&top[..top.len().min(3)], depth, deadline);
    let budget = request.budget_tokens.min(MAX_BUDGET_TOKENS) * TOKEN_BYTES;
    found.finish(budget, request.snippets, deadline, limits)
}

struct SubGraph<'g, 'v> {
    graph: &'g Graph<'v>,
    /// Each node with its definition, or (unit 0) its file.
    nodes: Vec<(DefId, Node)>,
    /// From, to, kind, line; by position in `nodes`.
    links: Vec<(usize, usize, &'static str, u32)>,
}

impl SubGraph<'_, '_> {
    /// Adds the matching definitions, file by file.
    fn seed(&mut self, top: &[Ranked]) {
        for entry in top {
            let mut of_file = Vec::new();
            for (id, score) in entry.best.iter().filter(|(id, _)| id.unit > 0).take(BEST_OF_FILE) {
                let share = if of_file.is_empty() { 1.0 } else { score / entry.best[0].1 * 0.9 };
                of_file.push((*id, entry.score * share));
            }
            if of_file.is_empty() {
                of_file.push((DefId { file: entry.file, unit: 0 }, entry.score));
            }
            for (place, score) in of_file {
                self.add(place, Role::Match, score, entry.why.clone());
            }
        }
    }

    /// Follows calls from the nodes in the graph; returns `false` when time ran out.
    fn spread(&mut self, depth: u32, seeds: usize, deadline: &Deadline) -> bool {
        let mut range = 0..seeds;
        for _ in 0..depth {
            let end = self.nodes.len();
            for position in range.clone() {
                if deadline.passed() {
                    return false;
                }
                let place = self.nodes[position].0;
                if place.unit > 0 {
                    self.neighbours(position, place);
                }
            }
            range = end..self.nodes.len();
        }
        true
    }

    fn neighbours(&mut self, position: usize, place: DefId) {
        let score = self.nodes[position].1.score as f32;
        let name = self.graph.qualified(place);
        let mut callees = self.graph.callees(place);
        let best = |calls: &mut Vec<Call>| {
            calls.retain(|call| call.certainty >= MIN_CERTAINTY);
            calls.sort_by(|one, other| {
                let worth = |call: &Call| (call.is_call, call.certainty);
                let (one, other) = (worth(one), worth(other));
                other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
            });
        };
        best(&mut callees);
        let mut seen = Vec::new();
        for call in callees {
            if call.to != place && !seen.contains(&call.to) && seen.len() < NEIGHBOURS {
                seen.push(call.to);
                let score = score * STEP * call.certainty;
                let to = self.add(call.to, Role::Callee, score, vec![format!("called by {name}")]);
                self.links.push((position, to, "calls", call.line));
            }
        }
        let mut callers = self.graph.callers_among(place, CALLING_FILES);
        best(&mut callers);
        let mut seen = Vec::new();
        for call in callers {
            let from = call.from.unwrap_or(DefId { file: call.from_file, unit: 0 });
            if from != place && !seen.contains(&from) && seen.len() < NEIGHBOURS {
                seen.push(from);
                let test = self.graph.view().file(from.file).is_test;
                let role = if test { Role::Test } else { Role::Caller };
                let score = score * STEP * call.certainty * if test { 0.5 } else { 1.0 };
                let at = self.add(from, role, score, vec![format!("calls {name}")]);
                self.links.push((at, position, "calls", call.line));
            }
        }
    }

    /// Adds the imports and the tests of the best matching files.
    fn files_around(&mut self, top: &[Ranked], depth: u32, deadline: &Deadline) {
        for entry in top {
            if depth == 0 || deadline.passed() {
                return;
            }
            let path = self.graph.view().file(entry.file).path.to_owned();
            let Some(position) = self.nodes.iter().position(|(place, _)| place.file == entry.file)
            else {
                continue;
            };
            let mut targets: Vec<FileId> =
                self.graph.imports(entry.file).iter().filter_map(|import| import.target).collect();
            targets.dedup();
            for target in targets.into_iter().take(NEIGHBOURS) {
                let place = DefId { file: target, unit: 0 };
                let why = vec![format!("imported by {path}")];
                let to = self.add(place, Role::Import, entry.score * STEP * 0.5, why);
                self.links.push((position, to, "imports", 0));
            }
            for test in self.graph.tests_of(entry.file).into_iter().take(NEIGHBOURS) {
                let place = DefId { file: test, unit: 0 };
                let why = vec![format!("tests {path}")];
                let at = self.add(place, Role::Test, entry.score * STEP * 0.4, why);
                self.links.push((at, position, "tests", 0));
            }
        }
    }

    /// Adds a node, or raises the score of the existing one; returns its position.
    fn add(&mut self, place: DefId, role: Role, score: f32, why: Vec<String>) -> usize {
        if let Some(known) = self.nodes.iter().position(|(other, _)| *other == place) {
            let node = &mut self.nodes[known].1;
            for reason in why {
                if node.why.len() < 4 && !node.why.contains(&reason) {
                    node.why.push(reason);
                }
            }
            return known;
        }
        let best = if place.unit > 0 { vec![(place, score)] } else { Vec::new() };
        let plain = Ranked { file: place.file, score, best, why };
        let Item { path, symbol, start_line, end_line, why, .. } = item(self.graph, &plain);
        let score = round(score);
        let edges = Vec::new();
        let node =
            Node { path, symbol, start_line, end_line, score, role, why, edges, snippet: None };
        self.nodes.push((place, node));
        self.nodes.len() - 1
    }

    /// The nodes, best first, as many as the budget allows, with edges and snippets.
    fn finish(
        self,
        budget: usize,
        snippets: Snippets,
        deadline: &Deadline,
        limits: &mut Vec<String>,
    ) -> Vec<Node> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        let key = |position: &usize| {
            let node = &self.nodes[*position].1;
            (node.role != Role::Match, std::cmp::Reverse((node.score * 1000.0) as i64), *position)
        };
        order.sort_by_key(key);
        let allowed = (budget / NODE_BYTES).max(1);
        if order.len() > allowed {
            limits.push(format!("the budget has room for {allowed} of {} nodes", order.len()));
            order.truncate(allowed);
        }
        let mut place_of = vec![usize::MAX; self.nodes.len()];
        for (new, old) in order.iter().enumerate() {
            place_of[*old] = new;
        }
        let mut nodes: Vec<Node> = order.iter().map(|old| self.nodes[*old].1.clone()).collect();
        for (from, to, kind, line) in &self.links {
            let (from, to) = (place_of[*from], place_of[*to]);
            if from != usize::MAX && to != usize::MAX {
                let edge = Edge { kind, to, line: *line };
                if !nodes[from].edges.contains(&edge) {
                    nodes[from].edges.push(edge);
                }
            }
        }
        let mut left = budget.saturating_sub(nodes.len() * NODE_BYTES);
        let mut excerpts = Excerpts::new(self.graph.view());
        let with_lines = if snippets == Snippets::Shown { SNIPPETS_MAX } else { 0 };
        for (node, old) in nodes.iter_mut().zip(&order).take(with_lines) {
            if deadline.passed() {
                limits.push("time was over before all snippets were read".to_owned());
                break;
            }
            if node.symbol.is_none() {
                continue;
            }
            let end = node.end_line.min(node.start_line + SNIPPET_LINES - 1);
            let text = excerpts.of_lines(self.nodes[*old].0.file, node.start_line, end);
            node.snippet = text.filter(|text| text.len() <= left);
            left -= node.snippet.as_ref().map_or(0, String::len);
        }
        nodes
    }
}
