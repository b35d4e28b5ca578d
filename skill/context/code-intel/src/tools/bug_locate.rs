//! `bug_locate`: finds the files, functions and lines that an error text, a stack trace or an issue points to,
//! with reasons. Lines of stack traces count most; the words of the text order the rest.

pub mod trace;

use crate::answer::{Answer, Item};
use crate::deadline::Deadline;
use crate::engine::{Engine, EngineError};
use crate::graph::Graph;
use crate::rank::blend::ranked;
use crate::rank::score::Ranked;
use crate::snippet::Excerpts;
use crate::tools::frame;
use crate::tools::search::{MAX_ITEMS, Snippets, item, round};
use crate::view::View;
use trace::Frame;

/// How many lines a snippet has at most.
const SNIPPET_LINES: u32 = 20;
/// Weight of the frame nearest to the error, as a part of the best file's score.
const NEAREST_FRAME: f32 = 1.0;
/// Factor for each frame, compared with the one nearer to the error.
const FRAME_STEP: f32 = 0.8;
/// How many functions of one file are returned.
const FUNCTIONS: usize = 3;

/// The request: what went wrong.
#[derive(Clone, Debug)]
pub struct BugLocateRequest {
    /// An error text, a stack trace, an issue, or any of them together.
    pub text: String,
    /// How many items to return, at most 200.
    pub limit: usize,
    /// Whether to return the items' lines.
    pub snippets: Snippets,
}

/// Finds suspects.
///
/// # Errors
/// [`EngineError::EmptyQuestion`], or when there is no index.
pub fn bug_locate(
    engine: &Engine,
    request: &BugLocateRequest,
    deadline: &Deadline,
) -> Result<Answer<Item>, EngineError> {
    bug_locate_in(&engine.view(deadline)?, request, deadline)
}

/// Finds suspects in one view.
///
/// # Errors
/// [`EngineError::EmptyQuestion`].
pub fn bug_locate_in(
    view: &View,
    request: &BugLocateRequest,
    deadline: &Deadline,
) -> Result<Answer<Item>, EngineError> {
    if request.text.trim().is_empty() {
        return Err(EngineError::EmptyQuestion);
    }
    frame::answer("bug_locate", view, deadline, |limits| {
        Ok(located(view, request, deadline, limits))
    })
}

/// The suspects, most likely first.
fn located(
    view: &View,
    request: &BugLocateRequest,
    deadline: &Deadline,
    limits: &mut Vec<String>,
) -> Vec<Item> {
    let ranking = ranked(view, &request.text, deadline);
    if ranking.truncated {
        limits.push("time was over before all words were looked up".to_owned());
    }
    let graph = Graph::new(view);
    let limit = request.limit.clamp(1, MAX_ITEMS);
    let top = ranking.files.first().map_or(1.0, |entry| entry.score);
    let mut items: Vec<Item> = Vec::new();
    let mut worth = top * NEAREST_FRAME;
    for frame in trace::frames(&request.text) {
        if let Some(mut found) = locate(&graph, &frame) {
            let known =
                |item: &Item| item.path == found.path && item.start_line == found.start_line;
            if items.iter().any(known) {
                continue;
            }
            let words = ranking.files.iter().find(|entry| view.file(entry.file).path == found.path);
            found.score = round(worth + words.map_or(0.0, |entry| entry.score));
            items.push(found);
            worth *= FRAME_STEP;
        }
    }
    for entry in ranking.files.iter().take(limit) {
        items.extend(suspects(&graph, entry, &items));
    }
    items.sort_by(|one, other| other.score.total_cmp(&one.score));
    items.truncate(limit);
    if request.snippets == Snippets::Shown {
        let mut excerpts = Excerpts::new(view);
        for item in &mut items {
            item.snippet = excerpts.of_item(item, SNIPPET_LINES);
        }
    }
    items
}

/// The definition at a frame, when its file is in the repository.
fn locate(graph: &Graph<'_>, frame: &Frame) -> Option<Item> {
    let view = graph.view();
    let id = trace::file_of(view, &frame.path)?;
    let file = view.file(id);
    let line = frame.line.filter(|line| *line <= file.lines);
    let by_line = line.and_then(|line| graph.enclosing(id, line));
    let by_name = || {
        let name = frame.function.as_deref()?;
        graph.named(name).into_iter().find(|definition| definition.file == id)
    };
    let around = by_line.or_else(by_name);
    let definition = around.map(|id| graph.definition(id));
    let start = line.or(definition.map(|found| found.start_line)).unwrap_or(0);
    Some(Item {
        path: file.path.to_owned(),
        symbol: around.map(|id| graph.qualified(id)),
        start_line: start,
        end_line: line.or(definition.map(|found| found.end_line)).unwrap_or(0),
        score: 0.0,
        why: vec![format!("frame {} of the stack trace, from the error", frame.distance + 1)],
        snippet: None,
    })
}

/// The best functions of a file that are not in the list yet.
fn suspects(graph: &Graph<'_>, entry: &Ranked, known: &[Item]) -> Vec<Item> {
    let mut found = Vec::new();
    let best = entry.best.iter().filter(|(id, _)| id.unit > 0).take(FUNCTIONS);
    for (position, (id, score)) in best.enumerate() {
        let share = score / entry.best[0].1;
        let part = if position == 0 { 1.0 } else { 0.5 * share };
        let (file, score) = (entry.file, entry.score * part);
        let one = Ranked { file, score, best: vec![(*id, score)], why: entry.why.clone() };
        found.push(item(graph, &one));
    }
    if found.is_empty() {
        found.push(item(graph, entry));
    }
    found.retain(|item| {
        !known.iter().any(|known| known.path == item.path && known.symbol == item.symbol)
    });
    found
}
