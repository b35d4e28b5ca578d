//! The engine under test, as a black box: the command `ci`, with its index in a cache folder of the
//! benchmark.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;

use super::program::Program;

/// How long a first index may take.
const INDEX_TIMEOUT: Duration = Duration::from_secs(600);

/// The same, for the command itself.
const INDEX_TIMEOUT_MS: &str = "600000";

/// How many items are requested: several may be in one file.
const ITEMS: &str = "50";

/// The command and its cache.
#[derive(Debug)]
pub(super) struct Ci {
    path: PathBuf,
    cache: PathBuf,
    scratch: PathBuf,
}

impl Ci {
    /// The command at `path`, or why it cannot be used.
    pub(super) fn new(path: &Path, scratch: &Path) -> Result<Self, String> {
        let ci = Self {
            path: path.to_owned(),
            cache: scratch.join("cache"),
            scratch: scratch.to_owned(),
        };
        let version = ci.program(Path::new("/")).arg("--version").stdout();
        version.map(|_| ci).map_err(|error| format!("{error:#}"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// `ci` in this folder, without arguments.
    pub(super) fn program(&self, folder: &Path) -> Program {
        Program::at(&self.path, folder)
            .env("XDG_CACHE_HOME", &self.cache)
            .env("HOME", &self.scratch)
            // The history is read explicitly, so that no background process disturbs the measurement.
            .env("CODE_INTEL_HISTORY", "off")
    }

    /// Updates the index of a tree.
    pub(super) fn index(&self, tree: &Path) -> anyhow::Result<Duration> {
        Ok(self.indexing(tree).timed()?.1)
    }

    /// Reads the history of a tree, which is otherwise done in the background after an answer.
    pub(super) fn history(&self, tree: &Path) -> anyhow::Result<Duration> {
        let program = self.program(tree).arg("--root").arg(tree).arg("history");
        // Exit code 1 means that there is no history.
        Ok(program.may_exit_with(1).timed()?.1)
    }

    /// The files that `bug-locate` returns, best first.
    pub(super) fn locate(
        &self,
        tree: &Path,
        query: &str,
    ) -> anyhow::Result<(Vec<String>, Duration)> {
        let (answer, time) = self.answer(tree, "bug-locate", query, &["--limit", ITEMS])?;
        Ok((items(&answer).filter_map(|item| text(item, "path")).collect(), time))
    }

    /// The output of `graph-rag` for the query.
    pub(super) fn graph_rag(&self, tree: &Path, query: &str) -> anyhow::Result<(Value, Duration)> {
        self.answer(tree, "graph-rag", query, &[])
    }

    /// The output of `index-status`.
    pub(super) fn status(&self, tree: &Path) -> anyhow::Result<Value> {
        let stdout = self.indexing(tree).stdout()?;
        let answer: Value = serde_json::from_str(&stdout).context("ci index-status --json")?;
        items(&answer).next().cloned().context("index-status has no item")
    }

    /// The command that only updates the index.
    pub(super) fn indexing(&self, tree: &Path) -> Program {
        self.asked(tree, "index-status")
            .args(["--timeout-ms", INDEX_TIMEOUT_MS])
            .timeout(INDEX_TIMEOUT)
    }

    fn answer(
        &self,
        tree: &Path,
        tool: &str,
        query: &str,
        more: &[&str],
    ) -> anyhow::Result<(Value, Duration)> {
        let file = self.scratch.join("query.txt");
        fs::write(&file, query)?;
        let program = self.asked(tree, tool).args(more.iter().copied()).arg("-").stdin(&file);
        // Exit code 1 means that nothing was found.
        let (stdout, time) = program.may_exit_with(1).timed()?;
        let answer = serde_json::from_str(&stdout)
            .with_context(|| format!("ci {tool} --json printed no JSON: {stdout:.200}"))?;
        Ok((answer, time))
    }

    pub(super) fn asked(&self, tree: &Path, tool: &str) -> Program {
        self.program(tree).arg(tool).arg("--json").arg("--root").arg(tree)
    }
}

/// The items of an answer.
pub(super) fn items(answer: &Value) -> impl Iterator<Item = &Value> {
    answer["items"].as_array().into_iter().flatten()
}

/// A text field of an item.
pub(super) fn text(item: &Value, name: &str) -> Option<String> {
    item[name].as_str().map(str::to_owned)
}
