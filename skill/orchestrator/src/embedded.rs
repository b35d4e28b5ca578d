//! The embedded engine as a toolbox: code-intel, one index for all tools of a run. This is the one file
//! that knows it; another provider is another file beside it.

mod finding;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use code_intel::engine::cache_folder;
use code_intel::tools::bug_locate::{BugLocateRequest, bug_locate_in};
use code_intel::tools::call_chain::{CallChainRequest, Direction, call_chain_in};
use code_intel::tools::complexity::{ComplexityRequest, Order, complexity_in};
use code_intel::tools::graph_rag::{GraphRagRequest, graph_rag_in};
use code_intel::tools::hotspot::{HotspotRequest, hotspot_in};
use code_intel::tools::impact::{ImpactRequest, Target, impact_in};
use code_intel::tools::index_status::{IndexStatus, index_status_of};
use code_intel::tools::scope::Tests;
use code_intel::tools::search::{Mode, SearchRequest, Snippets, search_in};
use code_intel::{Answer, Deadline, Engine, EngineError, RepoRoot, View};

use self::finding::found;
use crate::environment::Environment;
use crate::root::Root;
use crate::tool::{Args, Found, ToolFault, Toolbox};

/// The tools that the engine has.
const TOOLS: &[&str] = &[
    "ci_index_status",
    "ci_search",
    "ci_graph_rag",
    "ci_bug_locate",
    "ci_call_chain",
    "ci_impact",
    "ci_complexity",
    "ci_hotspot",
];
/// A call that is less likely than this to mean the callee is not shown to a model.
const CERTAINTY: f32 = 0.3;
/// Functions that are simpler than this are not worth naming.
const COMPLEX: u32 = 5;
/// How many places of one tool the report could show at most, and some to choose from.
const PLACES: usize = 20;
/// How long the index may be brought up to date: so that a search, the first that is given up, still
/// has time to search (proposal, design point 5: 2,000 ms).
const VIEW_TIME: Duration = Duration::from_millis(1_800);

/// The engine for one root.
pub(crate) struct Embedded {
    engine: Engine,
    /// Where git is looked for.
    program_path: OsString,
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
        let program_path = environment.get("PATH").unwrap_or_default().to_owned();
        Ok(Self { engine: Engine::new(root, cache), program_path, view: Mutex::new(None) })
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
        let text = |name: &str| args.get(name).and_then(|text| text.as_str()).map(str::to_owned);
        let paths = || text("path").into_iter().collect::<Vec<_>>();
        match tool {
            "ci_index_status" => Ok(status(index_status_of(&view, &deadline))),
            "ci_search" => {
                let request = SearchRequest {
                    query: query(),
                    mode: Some(Mode::Words),
                    limit: number("limit", 10),
                    snippets: Snippets::Shown,
                };
                search_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_graph_rag" => {
                let request = GraphRagRequest {
                    prompt: query(),
                    depth: u32::try_from(number("depth", 2)).unwrap_or(2),
                    top_k: number("top_k", 10),
                    budget_tokens: number("budget", 8_000),
                };
                graph_rag_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_bug_locate" => {
                let request = BugLocateRequest {
                    text: query(),
                    limit: number("limit", 10),
                    snippets: Snippets::Shown,
                };
                bug_locate_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_call_chain" => {
                let request = CallChainRequest {
                    symbol: text("symbol").unwrap_or_default(),
                    file: None,
                    directions: vec![Direction::Callers, Direction::Callees],
                    depth: u8::try_from(number("depth", 3)).unwrap_or(3),
                    certainty: CERTAINTY,
                    limit: PLACES,
                };
                call_chain_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_impact" => {
                let target = match (text("symbol"), text("path")) {
                    (Some(symbol), _) => Target::Symbol(symbol),
                    (None, Some(path)) => Target::File(path),
                    (None, None) => Target::WorkingDiff,
                };
                let request = ImpactRequest {
                    target,
                    depth: u8::try_from(number("depth", 3)).unwrap_or(3),
                    limit: PLACES,
                    program_path: self.program_path.clone(),
                };
                impact_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_complexity" => {
                let request = ComplexityRequest {
                    paths: paths(),
                    tests: Tests::Left,
                    order: Order::Cognitive,
                    at_least: COMPLEX,
                    limit: number("top", PLACES),
                };
                complexity_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            "ci_hotspot" => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let request = HotspotRequest {
                    days: u32::try_from(number("days", 30)).unwrap_or(30),
                    now: now.map_or(0, |now| now.as_secs()),
                    paths: paths(),
                    tests: Tests::Left,
                    limit: number("top", PLACES),
                    program_path: self.program_path.clone(),
                };
                hotspot_in(&view, &request, &deadline).map(found).map_err(fault)
            }
            _ => Err(ToolFault::Unavailable("the engine does not have it".to_owned())),
        }
    }
}

/// The state of the index, which is no place.
fn status(answer: Answer<IndexStatus>) -> Found {
    let summary = answer.items.first().map(|status| {
        let state = if status.fresh { "up to date" } else { "not complete" };
        format!("{} files, {} symbols, {state}", status.files, status.symbols)
    });
    let version =
        format!("code-intel {} (index {})", answer.engine.version, answer.engine.index_version);
    let summary = summary.unwrap_or_default();
    Found { version, summary, findings: Vec::new(), limits: answer.limits }
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
