//! Dispatches one tool call of the [`catalog`](crate::catalog). The arguments
//! are already clamped; a path in them must be below the root.

use std::ffi::OsStr;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::answer::{Answer, Item};
use crate::catalog::Args;
use crate::deadline::Deadline;
use crate::engine::EngineError;
use crate::tools::bug_locate::{BugLocateRequest, bug_locate_in};
use crate::tools::call_chain::{CallChainRequest, Chain, Direction, call_chain_in};
use crate::tools::complexity::{ComplexityRequest, FunctionComplexity, Order, complexity_in};
use crate::tools::graph_rag::{Gathered, GraphRagRequest, gather_in};
use crate::tools::hotspot::{Hotspot, HotspotRequest, hotspot_in};
use crate::tools::impact::{ImpactRequest, Impacted, Target, impact_in};
use crate::tools::index_status::{IndexStatus, index_status_of};
use crate::tools::rankings::Rankings;
use crate::tools::scope::Tests;
use crate::tools::search::{Mode, SearchRequest, Snippets, search_in};
use crate::view::View;

/// Calls with a lower certainty are not shown to a model.
const CERTAINTY: f32 = 0.3;
/// Minimum complexity of a function that is shown.
const COMPLEX: u32 = 5;
/// Maximum number of results of a tool, if the caller cannot set it.
const PLACES: usize = 20;

/// A tool call by name, with arguments in JSON.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    /// The tool's name.
    pub tool: &'c str,
    /// Its arguments, clamped.
    pub args: &'c Args,
    /// The search mode; `None`: derived from the query.
    pub mode: Option<Mode>,
    /// Whether the nodes of a sub-graph include lines.
    pub graph_snippets: Snippets,
    /// The `PATH` that is searched for git.
    pub program_path: &'c OsStr,
    /// Rankings shared with other calls on the same view.
    pub rankings: &'c Rankings,
}

/// The answer of a tool.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Reply {
    /// The state of the index.
    Status(Answer<IndexStatus>),
    /// Places, found by a search or by locating a bug.
    Places(Answer<Item>),
    /// Definitions and their relations.
    Nodes(Gathered),
    /// Callers and callees.
    Chains(Answer<Chain>),
    /// Code affected by a change.
    Impacted(Answer<Impacted>),
    /// The answer of `complexity`.
    Functions(Answer<FunctionComplexity>),
    /// The answer of `hotspot`.
    Hotspots(Answer<Hotspot>),
}

impl Call<'_> {
    /// The answer; `None` if there is no such tool.
    ///
    /// # Errors
    /// Errors of the tool: [`EngineError::Unknown`], [`EngineError::Pattern`], [`EngineError::EmptyQuestion`].
    pub fn answer(&self, view: &View, deadline: &Deadline) -> Result<Option<Reply>, EngineError> {
        let query = || self.text("query").unwrap_or_default();
        let reply = match self.tool {
            "ci_index_status" => Reply::Status(index_status_of(view, deadline)),
            "ci_search" => {
                let request = SearchRequest {
                    query: query(),
                    mode: self.mode,
                    limit: self.number("limit", 10),
                    snippets: Snippets::Shown,
                };
                Reply::Places(search_in(view, &request, self.rankings, deadline)?)
            }
            "ci_graph_rag" => {
                let request = GraphRagRequest {
                    prompt: query(),
                    depth: self.number("depth", 2),
                    top_k: self.number("top_k", 10),
                    budget_tokens: self.number("budget", 8_000),
                    snippets: self.graph_snippets,
                };
                Reply::Nodes(gather_in(view, &request, self.rankings, deadline)?)
            }
            "ci_bug_locate" => {
                let request = BugLocateRequest {
                    text: query(),
                    limit: self.number("limit", 10),
                    snippets: Snippets::Shown,
                };
                Reply::Places(bug_locate_in(view, &request, deadline)?)
            }
            "ci_call_chain" => {
                let request = CallChainRequest {
                    symbol: self.text("symbol").unwrap_or_default(),
                    file: None,
                    directions: vec![Direction::Callers, Direction::Callees],
                    depth: self.number("depth", 3),
                    certainty: CERTAINTY,
                    limit: PLACES,
                };
                Reply::Chains(call_chain_in(view, &request, deadline)?)
            }
            "ci_impact" => {
                let target = match (self.text("symbol"), self.path(view)?) {
                    (Some(symbol), _) => Target::Symbol(symbol),
                    (None, Some(path)) => Target::File(path),
                    (None, None) => Target::WorkingDiff,
                };
                let request = ImpactRequest {
                    target,
                    depth: self.number("depth", 3),
                    limit: PLACES,
                    program_path: self.program_path.to_owned(),
                };
                Reply::Impacted(impact_in(view, &request, deadline)?)
            }
            "ci_complexity" => {
                let request = ComplexityRequest {
                    paths: self.path(view)?.into_iter().collect(),
                    tests: Tests::Left,
                    order: Order::Cognitive,
                    at_least: COMPLEX,
                    limit: self.number("top", PLACES),
                };
                Reply::Functions(complexity_in(view, &request, deadline)?)
            }
            "ci_hotspot" => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                let request = HotspotRequest {
                    days: self.number("days", 30),
                    now: now.map_or(0, |now| now.as_secs()),
                    paths: Vec::new(),
                    tests: Tests::Left,
                    limit: self.number("top", PLACES),
                    program_path: self.program_path.to_owned(),
                };
                Reply::Hotspots(hotspot_in(view, &request, deadline)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(reply))
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.args.get(name)?.as_str()?;
        (!text.trim().is_empty()).then(|| text.to_owned())
    }

    /// A numeric argument, which the catalog limits.
    fn number<N: TryFrom<u64>>(&self, name: &str, usual: N) -> N {
        let number = self.args.get(name).and_then(serde_json::Value::as_u64);
        number.and_then(|number| N::try_from(number).ok()).unwrap_or(usual)
    }

    /// The argument `path` in the index's form. A path outside of the root is treated like
    /// one that does not exist.
    fn path(&self, view: &View) -> Result<Option<String>, EngineError> {
        let Some(path) = self.text("path") else { return Ok(None) };
        let inside = view.root().relative(Path::new(&path));
        inside.map(Some).ok_or_else(|| EngineError::Unknown {
            what: "file or folder",
            name: path,
            hint: Some("files are named from the root; ignored ones are not known".to_owned()),
        })
    }
}
