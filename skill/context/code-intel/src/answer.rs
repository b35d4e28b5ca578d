//! The frame that every tool's answer has. What a tool found is in `items`; a tool may have items of
//! its own kind. No text for people is made here.

use serde::Serialize;

use crate::deadline::Deadline;
use crate::root::RepoRoot;

/// The version of the engine: it changes when answers do.
pub const ENGINE_VERSION: &str = release::VERSION;

/// The version of the index format; an index of another version is rebuilt.
pub const INDEX_VERSION: u32 = 3;

/// One tool's answer.
#[derive(Clone, Debug, Serialize)]
pub struct Answer<I> {
    /// The tool that answers, as it is called: `search`, `graph_rag`.
    pub tool: &'static str,
    /// What answered.
    pub engine: Engine,
    /// The folder that the answer is about.
    pub root: String,
    /// What was found, best first.
    pub items: Vec<I>,
    /// Whether something was left out: the time was over, or a bound was reached.
    pub truncated: bool,
    /// Each bound that was reached, in words; empty unless `truncated`.
    pub limits: Vec<String>,
    /// How long it took, in milliseconds.
    pub elapsed_ms: u64,
}

/// What answered: versions, so that an answer can be compared with another.
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
    /// The first line, from 1; 0 when the file as a whole is meant.
    pub start_line: u32,
    /// The last line, including; 0 when the file as a whole is meant.
    pub end_line: u32,
    /// How well it fits; comparable only within one answer.
    pub score: f64,
    /// Why it is here, in a few words each.
    pub why: Vec<String>,
    /// Lines worth reading, when the tool was asked for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

impl<I> Answer<I> {
    /// An answer with these items, timed from the beginning of `deadline`. Each line of `limits` is a
    /// bound that was reached; with one, the answer is truncated.
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
