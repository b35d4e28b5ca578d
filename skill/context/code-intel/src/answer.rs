//! The common structure of every tool's answer. The results are in `items`; a tool may have its own
//! type of items. No text for people is generated here.

use serde::Serialize;

use crate::deadline::Deadline;
use crate::root::RepoRoot;

/// The version of the engine: incremented when answers change.
pub const ENGINE_VERSION: &str = release::VERSION;

/// The version of the index format; an index of another version is rebuilt.
pub const INDEX_VERSION: u32 = 3;

/// One tool's answer.
#[derive(Clone, Debug, Serialize)]
pub struct Answer<I> {
    /// The tool's name: `search`, `graph_rag`.
    pub tool: &'static str,
    /// The engine.
    pub engine: Engine,
    /// The repository's root folder.
    pub root: String,
    /// The results, best first.
    pub items: Vec<I>,
    /// Whether results were left out because of the deadline or a limit.
    pub truncated: bool,
    /// Each limit that was reached, as text; empty unless `truncated`.
    pub limits: Vec<String>,
    /// Duration in milliseconds.
    pub elapsed_ms: u64,
}

/// The versions of the engine and the index, to compare answers.
#[derive(Clone, Debug, Serialize)]
pub struct Engine {
    /// [`ENGINE_VERSION`].
    pub version: &'static str,
    /// The [`INDEX_VERSION`] that the index was written with.
    pub index_version: u32,
}

/// A place in the repository.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct Item {
    /// The file, relative to the root, with `/` between its parts.
    pub path: String,
    /// The definition, with its parents: `Parser::next`. `None`: the file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The first line, from 1; 0 for the whole file.
    pub start_line: u32,
    /// The last line, inclusive; 0 for the whole file.
    pub end_line: u32,
    /// Relevance score; comparable only within one answer.
    pub score: f64,
    /// The reasons, in a few words each.
    pub why: Vec<String>,
    /// Relevant lines, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl<I> Answer<I> {
    /// An answer with these items, timed from the beginning of `deadline`. Each line of `limits` is a
    /// limit that was reached; if there is one, the answer is truncated.
    #[must_use]
    pub fn new(
        tool: &'static str,
        root: &RepoRoot,
        items: Vec<I>,
        limits: Vec<String>,
        deadline: &Deadline,
    ) -> Self {
        Self {
            tool,
            engine: Engine { version: ENGINE_VERSION, index_version: INDEX_VERSION },
            root: root.path().display().to_string(),
            items,
            truncated: !limits.is_empty(),
            limits,
            elapsed_ms: u64::try_from(deadline.elapsed().as_millis()).unwrap_or(u64::MAX),
        }
    }
}
