//! The embedded engine as a toolbox: code-intel, one index for all tools of a run. This is the one file
//! that knows it; another provider is another file beside it.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use code_intel::engine::cache_folder;
use code_intel::tools::bug_locate::{BugLocateRequest, bug_locate_in};
use code_intel::tools::graph_rag::{GraphRagRequest, Node, graph_rag_in};
use code_intel::tools::index_status::index_status_of;
use code_intel::tools::search::{Mode, SearchRequest, Snippets, search_in};
use code_intel::{Answer, Deadline, Engine, EngineError, Item, RepoRoot, View};

use crate::environment::Environment;
use crate::root::Root;
use crate::tool::{Args, Finding, Found, ToolFault, Toolbox};

/// The tools that the engine has.
const TOOLS: &[&str] = &["ci_index_status", "ci_search", "ci_graph_rag", "ci_bug_locate"];
/// How long the index may be brought up to date: so that a search, the first that is given up, still
/// has time to search (proposal, design point 5: 2,000 ms).
const VIEW_TIME: Duration = Duration::from_millis(1_800);

/// The engine for one root.
pub(crate) struct Embedded {
    engine: Engine,
    /// Made by the first tool that asks; the others wait for it.
    view: Mutex<Option<Arc<View>>>,
}

impl Embedded {
    /// The engine for a root.
    ///
    /// # Errors
    /// [`ToolFault::Unavailable`] when the root is gone or there is no folder for the index.
    pub(crate) fn new(root: &Root, environment: &Environment) -> Result<Self, ToolFault> {
        let root = RepoRoot::at(&root.path).map_err(unavailable)?;
        let folder = |name: &str| -> Option<PathBuf> { environment.path(name) };
        let cache = cache_folder(folder).map_err(unavailable)?;
        Ok(Self { engine: Engine::new(root, cache), view: Mutex::new(None) })
    }

    fn view(&self) -> Result<Arc<View>, ToolFault> {
        let mut view = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = &*view {
            return Ok(Arc::clone(view));
        }
        let made = Arc::new(self.engine.view(&Deadline::after(VIEW_TIME)).map_err(fault)?);
        *view = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Toolbox for Embedded {
    fn offers(&self, tool: &str) -> bool {
        TOOLS.contains(&tool)
    }

    fn call(&self, tool: &str, args: &Args, due: Instant) -> Result<Found, ToolFault> {
        let view = self.view()?;
        let deadline = Deadline::after(due.saturating_duration_since(Instant::now()));
        if deadline.passed() {
            return Err(ToolFault::TooSlow);
        }
        let query =
            || args.get("query").and_then(|query| query.as_str()).unwrap_or_default().to_owned();
        let number = |name: &str, usual: usize| {
            let number = args.get(name).and_then(serde_json::Value::as_u64);
            number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usual)
        };
        match tool {
            "ci_index_status" => {
                let answer = index_status_of(&view, &deadline);
                let status = answer.items.first().map(|status| {
                    let state = if status.fresh { "up to date" } else { "not complete" };
                    format!("{} files, {} symbols, {state}", status.files, status.symbols)
                });
                Ok(Found {
                    summary: status.unwrap_or_default(),
                    ..found(answer, |_, _| Finding::default(), 0)
                })
            }
            "ci_search" => {
                let request = SearchRequest {
                    query: query(),
                    mode: Some(Mode::Words),
                    limit: number("limit", 10),
                    snippets: Snippets::Shown,
                };
                let answer = search_in(&view, &request, &deadline).map_err(fault)?;
                let top = answer.items.first().map_or(1.0, |item| item.score);
                Ok(found(answer, |item, _| place(item, top), usize::MAX))
            }
            "ci_graph_rag" => {
                let request = GraphRagRequest {
                    prompt: query(),
                    depth: u32::try_from(number("depth", 2)).unwrap_or(2),
                    top_k: number("top_k", 10),
                    budget_tokens: number("budget", 8_000),
                };
                let answer = graph_rag_in(&view, &request, &deadline).map_err(fault)?;
                let top = answer.items.iter().map(|node| node.score).fold(0.0, f64::max);
                let paths: Vec<String> =
                    answer.items.iter().map(|node| node.path.clone()).collect();
                Ok(found(answer, |node, _| neighbour(node, top, &paths), usize::MAX))
            }
            "ci_bug_locate" => {
                let request = BugLocateRequest {
                    text: query(),
                    limit: number("limit", 10),
                    snippets: Snippets::Shown,
                };
                let answer = bug_locate_in(&view, &request, &deadline).map_err(fault)?;
                let top = answer.items.first().map_or(1.0, |item| item.score);
                Ok(found(answer, |item, _| place(item, top), usize::MAX))
            }
            _ => Err(ToolFault::Unavailable("the engine does not have it".to_owned())),
        }
    }
}

/// An answer with at most `most` of its items as findings.
fn found<I>(answer: Answer<I>, finding: impl Fn(I, usize) -> Finding, most: usize) -> Found {
    let version =
        format!("code-intel {} (index {})", answer.engine.version, answer.engine.index_version);
    let findings: Vec<Finding> = answer
        .items
        .into_iter()
        .take(most)
        .enumerate()
        .map(|(index, item)| finding(item, index))
        .collect();
    let summary = match findings.len() {
        1 => "1 place".to_owned(),
        count => format!("{count} places"),
    };
    Found { version, summary, findings, limits: answer.limits }
}

/// How sure an item is, beside the best of its answer.
fn part(score: f64, top: f64) -> f64 {
    if top > 0.0 { (score / top).clamp(0.0, 1.0) } else { 0.0 }
}

fn place(item: Item, top: f64) -> Finding {
    Finding {
        path: Some(item.path),
        symbol: item.symbol,
        title: None,
        lines: (item.start_line, item.end_line),
        summary: item.why.join("; "),
        confidence: part(item.score, top),
        snippet: item.snippet,
        claim: None,
    }
}

fn neighbour(node: Node, top: f64, paths: &[String]) -> Finding {
    let edges = node
        .edges
        .iter()
        .take(3)
        .filter_map(|edge| paths.get(edge.to).map(|path| format!("{} {path}", edge.kind)));
    let why: Vec<String> = node.why.iter().cloned().chain(edges).collect();
    Finding {
        path: Some(node.path.clone()),
        symbol: node.symbol.clone(),
        title: None,
        lines: (node.start_line, node.end_line),
        summary: why.join("; "),
        confidence: part(node.score, top),
        snippet: node.snippet.clone(),
        claim: None,
    }
}

fn fault(error: EngineError) -> ToolFault {
    match error {
        EngineError::Cache { .. } | EngineError::NoCacheFolder => unavailable(error),
        EngineError::Pattern { .. } | EngineError::EmptyQuestion | EngineError::Unknown { .. } => {
            ToolFault::InvalidArgs(error.to_string())
        }
    }
}

fn unavailable(error: impl Display) -> ToolFault {
    ToolFault::Unavailable(error.to_string())
}
