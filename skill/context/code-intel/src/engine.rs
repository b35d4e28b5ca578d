//! The engine: one root, its index, and what is asked of it. Where the index lies is decided by the
//! caller; what an answer says is the tools' business.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use host::Environment;
pub use intent::index_folder::CACHE_DIR_VARIABLE;
use thiserror::Error;

use crate::deadline::Deadline;
use crate::index::store::Store;
use crate::index::update;
use crate::index::walk;
use crate::own_words;
use crate::past::behind;
use crate::past::follow::{self, FollowError, Followed};
use crate::progress::Progress;
use crate::root::RepoRoot;
use crate::view::View;

/// `off`: nothing is learned from the repository's history, and no process stays behind an answer.
const HISTORY_VARIABLE: &str = "CODE_INTEL_HISTORY";

/// The part of a question's time that bringing the index up to date may take.
const UPDATE_PART: f64 = 0.7;

/// Answers questions about one folder.
#[derive(Debug)]
pub struct Engine {
    root: RepoRoot,
    cache: PathBuf,
}

/// Why there is no answer at all.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The cache folder cannot be written or read.
    #[error(
        "cannot keep the index in {folder}: {source}; set {CACHE_DIR_VARIABLE} to a folder that can be written",
        folder = folder.display()
    )]
    Cache {
        /// The folder of this root's index.
        folder: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Neither a cache folder nor a home is known.
    #[error("no folder for the index: set {CACHE_DIR_VARIABLE}, XDG_CACHE_HOME or HOME")]
    NoCacheFolder,
    /// The pattern of a search is not a regular expression.
    #[error("the regular expression is not valid\n{message}")]
    Pattern {
        /// Where and why.
        message: String,
    },
    /// The question is empty.
    #[error("the question is empty: nothing to look for")]
    EmptyQuestion,
    /// A symbol, file or revision that the question names is not there.
    #[error("there is no {what} `{name}`{hint}", hint = hint.as_deref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// What it should be: `symbol`, `file`.
        what: &'static str,
        /// What was asked for.
        name: String,
        /// What is close to it.
        hint: Option<String>,
    },
}

/// The folder for indexes: `CODE_INTEL_CACHE_DIR`, else `codex-bridge/code-intel` in the user's cache
/// folder.
///
/// # Errors
/// [`EngineError::NoCacheFolder`] when the environment names none.
pub fn cache_folder(environment: &Environment) -> Result<PathBuf, EngineError> {
    intent::index_folder::cache_folder(environment).ok_or(EngineError::NoCacheFolder)
}

/// Whether those who answer may have the repository's history read behind an answer.
#[must_use]
pub fn follows_history(environment: &Environment) -> bool {
    environment.get(HISTORY_VARIABLE).is_none_or(|value| value != "off")
}

impl Engine {
    /// An engine for `root` that keeps its indexes below `cache`.
    #[must_use]
    pub fn new(root: RepoRoot, cache: PathBuf) -> Self {
        Self { root, cache }
    }

    /// The folder that is asked about.
    #[must_use]
    pub fn root(&self) -> &RepoRoot {
        &self.root
    }

    /// The index as the tree is now, as far as time permits: [`View::limits`] says what is missing.
    ///
    /// # Errors
    /// [`EngineError::Cache`] when the index cannot be kept.
    pub fn view(&self, deadline: &Deadline) -> Result<View, EngineError> {
        self.view_with(deadline, &|_, _| {})
    }

    /// As [`Engine::view`], telling how far reading has come.
    ///
    /// # Errors
    /// As [`Engine::view`].
    pub fn view_with(
        &self,
        deadline: &Deadline,
        progress: Progress<'_>,
    ) -> Result<View, EngineError> {
        let store = Store::new(&self.cache, self.root.path());
        let due = deadline.part(UPDATE_PART);
        // One is read while the other is walked: both wait for the system.
        let (tree, present) = std::thread::scope(|threads| {
            let present = threads.spawn(|| store.read());
            (walk::walk(&self.root, &due), present.join().ok().flatten())
        });
        let (snapshot, limits) = update::update(&self.root, &store, present, &tree, &due, progress)
            .map_err(|source| EngineError::Cache { folder: store.folder().to_owned(), source })?;
        let view = View::new(self.root.clone(), store.folder().to_owned(), snapshot, limits);
        own_words::keep_up(&view, &store);
        Ok(view)
    }

    /// Brings what history says of the files up to date with HEAD, now. There must be an index. `path`
    /// is the `PATH` on which git is looked for.
    ///
    /// # Errors
    /// [`FollowError`], by cause; the history is as it was then.
    pub fn follow_history(
        &self,
        path: &OsStr,
        deadline: &Deadline,
    ) -> Result<Followed, FollowError> {
        let store = Store::new(&self.cache, self.root.path());
        follow::follow(&self.root, &store, path, deadline)
    }

    /// Has the history brought up to date by the `ci` beside this program, behind the caller's back,
    /// where HEAD has moved; `true` when that was started. For the time after an answer.
    ///
    /// # Errors
    /// When the cache cannot be written, or the program not be started.
    pub fn follow_history_behind(&self, path: &OsStr) -> io::Result<bool> {
        let store = Store::new(&self.cache, self.root.path());
        behind::start(self.root.path(), &self.cache, &store, path)
    }
}
