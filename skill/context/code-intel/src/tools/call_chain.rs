//! `call_chain`: the callers and callees of a symbol, to some depth, each with the path of calls to it. Calls are
//! resolved by name, nearby definitions first: what depends on types (which class a method is called on,
//! what a function pointer holds) is a guess, and its certainty says so.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::graph::{Call, DefId, Graph};
use crate::tools::frame;
use crate::tools::symbol::{definitions, label};
use crate::view::{FileId, View};

/// The most items of one answer.
pub const MAX_ITEMS: usize = 500;

/// The most steps from the symbol.
pub const MAX_DEPTH: u8 = 5;

/// How many symbols are followed in each direction; a name that is used everywhere tells nothing.
const VISITED_MAX: usize = 5_000;

/// The direction in which calls are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Towards the callers.
    Callers,
    /// Towards the callees.
    Callees,
}

/// The request: whose calls to follow.
#[derive(Clone, Debug)]
pub struct CallChainRequest {
    /// The symbol: `next`, `Parser::next`.
    pub symbol: String,
    /// Only the definitions in this file, where several definitions have the name.
    pub file: Option<String>,
    /// Callers, callees or both.
    pub directions: Vec<Direction>,
    /// How many steps, at most [`MAX_DEPTH`].
    pub depth: u8,
    /// Paths of lower certainty are left out, from 0 to 1.
    pub certainty: f32,
    /// How many items to return, at most [`MAX_ITEMS`].
    pub limit: usize,
}

/// A symbol that is reached, with the most certain of the shortest paths to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chain {
    /// The file of this symbol, relative to the root.
    pub path: String,
    /// The symbol; none for code outside of every definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Its first line, from 1; 0 for code outside of every definition.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The certainty of the whole path, from 0 to 1.
    pub score: f64,
    /// The path in words.
    pub why: Vec<String>,
    /// Whether it is a caller or a callee.
    pub direction: Direction,
    /// How many calls away it is, from 1.
    pub depth: u8,
    /// The path from the requested symbol, call by call.
    pub links: Vec<Link>,
}

/// One call on the path.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The calling symbol.
    pub caller: String,
    /// The called symbol.
    pub callee: String,
    /// The file of the call.
    pub path: String,
    /// The line of the call.
    pub line: u32,
    /// The certainty that this callee is meant, from 0 to 1.
    pub certainty: f32,
}

/// The end of a path: a definition, or the code of a file outside of all definitions.
type Node = (FileId, Option<DefId>);

/// The path to a node: the previous node, the call, the certainty.
struct Step {
    from: Option<Node>,
    call: Option<Call>,
    depth: u8,
    certainty: f32,
}

/// Follows the calls of a symbol.
///
/// # Errors
/// [`EngineError::Unknown`] when there is no such symbol or file, or when there is no index.
pub fn call_chain(
    engine: &Engine,
    request: &CallChainRequest,
    deadline: &Deadline,
) -> Result<Answer<Chain>, EngineError> {
    call_chain_in(&engine.view(deadline)?, request, deadline)
}

/// The same for one view.
///
/// # Errors
/// As [`call_chain`], but for the index.
pub fn call_chain_in(
    view: &View,
    request: &CallChainRequest,
    deadline: &Deadline,
) -> Result<Answer<Chain>, EngineError> {
    frame::answer("call_chain", view, deadline, |limits| {
        let mut items = chains(view, request, deadline, limits)?;
        frame::cut(&mut items, request.limit.clamp(1, MAX_ITEMS), "symbols", limits);
        Ok(items)
    })
}

/// All symbols that are reached, nearest and most certain first.
fn chains(
    view: &View,
    request: &CallChainRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Result<Vec<Chain>, EngineError> {
    let graph = Graph::new(view);
    let roots = definitions(&graph, &request.symbol, request.file.as_deref())?;
    let directions: BTreeSet<Direction> = request.directions.iter().copied().collect();
    let mut items = Vec::new();
    for direction in directions {
        let steps = follow(&graph, &roots, direction, request, deadline, limits);
        items.extend(
            steps
                .iter()
                .filter(|(_, step)| step.depth > 0)
                .map(|(node, step)| chain(&graph, *node, step, &steps, direction)),
        );
    }
    items.sort_by(|a, b| {
        let near = (a.direction, a.depth).cmp(&(b.direction, b.depth));
        let sure = || b.score.total_cmp(&a.score);
        near.then_with(sure).then_with(|| (&a.path, a.start_line).cmp(&(&b.path, b.start_line)))
    });
    Ok(items)
}

/// All nodes within the depth, with the path to each: breadth first, so that each path is a shortest one.
fn follow(
    graph: &Graph,
    roots: &[DefId],
    direction: Direction,
    request: &CallChainRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> BTreeMap<Node, Step> {
    let mut steps: BTreeMap<Node, Step> = BTreeMap::new();
    let mut queue: VecDeque<Node> = VecDeque::new();
    for root in roots {
        let node = (root.file, Some(*root));
        steps.insert(node, Step { from: None, call: None, depth: 0, certainty: 1.0 });
        queue.push_back(node);
    }
    let depth_max = request.depth.clamp(1, MAX_DEPTH);
    while let Some(node) = queue.pop_front() {
        let (depth, certainty) = (steps[&node].depth, steps[&node].certainty);
        // Code outside of every definition has no callers.
        let (true, (_, Some(definition))) = (depth < depth_max, node) else { continue };
        if deadline.passed() || steps.len() > VISITED_MAX {
            let what = if deadline.passed() { "time was over" } else { "too much is connected" };
            limits.push(format!("{what}: calls {depth} steps away are not complete"));
            break;
        }
        let calls = match direction {
            Direction::Callers => graph.callers_until(definition, deadline),
            Direction::Callees => graph.callees(definition),
        };
        for call in calls.into_iter().filter(|call| call.is_call) {
            let next = match direction {
                Direction::Callers => (call.from_file, call.from),
                Direction::Callees => (call.to.file, Some(call.to)),
            };
            let certainty = certainty * call.certainty;
            if certainty < request.certainty {
                continue;
            }
            let step = Step { from: Some(node), call: Some(call), depth: depth + 1, certainty };
            match steps.get(&next) {
                None => queue.push_back(next),
                // A more certain path of the same length.
                Some(known) if known.depth == depth + 1 && known.certainty < certainty => {}
                Some(_) => continue,
            }
            steps.insert(next, step);
        }
        if deadline.passed() && queue.is_empty() {
            limits.push(format!("time was over: calls {depth} steps away are not complete"));
        }
    }
    steps
}

fn chain(
    graph: &Graph,
    node: Node,
    step: &Step,
    steps: &BTreeMap<Node, Step>,
    direction: Direction,
) -> Chain {
    let mut links = Vec::new();
    let mut next = Some(step);
    while let Some(Step { from: Some(from), call: Some(call), .. }) = next {
        links.push(Link {
            caller: name(graph, (call.from_file, call.from)),
            callee: graph.qualified(call.to),
            path: graph.view().file(call.from_file).path.to_owned(),
            line: call.line,
            certainty: call.certainty,
        });
        next = steps.get(from);
    }
    links.reverse();
    let (file, definition) = node;
    let lines = definition.map(|id| graph.definition(id));
    Chain {
        path: graph.view().file(file).path.to_owned(),
        symbol: definition.map(|id| graph.qualified(id)),
        start_line: lines.map_or(0, |definition| definition.start_line),
        end_line: lines.map_or(0, |definition| definition.end_line),
        score: f64::from(step.certainty),
        why: vec![way(&links, direction)],
        direction,
        depth: step.depth,
        links,
    }
}

/// The path for display, always from caller to callee.
fn way(links: &[Link], direction: Direction) -> String {
    let (Some(first), Some(last)) = (links.first(), links.last()) else { return String::new() };
    match direction {
        Direction::Callees => {
            let rest: Vec<&str> = links.iter().map(|link| link.callee.as_str()).collect();
            format!("{} -> {}", first.caller, rest.join(" -> "))
        }
        Direction::Callers => {
            let rest: Vec<&str> = links.iter().rev().map(|link| link.callee.as_str()).collect();
            format!("{} -> {}", last.caller, rest.join(" -> "))
        }
    }
}

fn name(graph: &Graph, (file, definition): Node) -> String {
    label(graph, file, definition)
}

#[cfg(test)]
mod tests;
