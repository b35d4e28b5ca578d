//! The engine of one root with its index. The caller chooses the index's folder;
//! the tools build the answers.

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

/// `off` disables reading the repository's history, so that no background process is started.
const HISTORY_VARIABLE: &str = "CODE_INTEL_HISTORY";

/// Fraction of an answer's time for updating the index.
const UPDATE_PART: f64 = 0.7;

/// Answers questions about one repository.
#[derive(Debug)]
pub struct Engine {
    root: RepoRoot,
    cache: PathBuf,
}

/// Why there is no answer.
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
        /// The system's error.
        source: std::io::Error,
    },
    /// Neither a cache folder nor a home folder is known.
    #[error("no folder for the index: set {CACHE_DIR_VARIABLE}, XDG_CACHE_HOME or HOME")]
    NoCacheFolder,
    /// The pattern of a search is not a regular expression.
    #[error("the regular expression is not valid\n{message}")]
    Pattern {
        /// The position and the error.
        message: String,
    },
    /// The question is empty.
    #[error("the question is empty: nothing to look for")]
    EmptyQuestion,
    /// A symbol, file or revision in the question does not exist.
    #[error("there is no {what} `{name}`{hint}", hint = hint.as_deref().map(|hint| format!(": {hint}")).unwrap_or_default())]
    Unknown {
        /// Its kind: `symbol`, `file`.
        what: &'static str,
        /// The given name.
        name: String,
        /// A similar name.
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

/// Whether the repository's history may be read after an answer.
#[must_use]
pub fn follows_history(environment: &Environment) -> bool {
    environment.get(HISTORY_VARIABLE).is_none_or(|value| value != "off")
}

impl Engine {
    /// An engine for `root` with its indexes below `cache`.
    #[must_use]
    pub fn new(root: RepoRoot, cache: PathBuf) -> Self {
        Self { root, cache }
    }

    /// The repository's root.
    #[must_use]
    pub fn root(&self) -> &RepoRoot {
        &self.root
    }

    /// The index of the current tree, as far as time permits: [`View::limits`] tells what is missing.
    ///
    /// # Errors
    /// [`EngineError::Cache`] if the index cannot be stored.
    pub fn view(&self, deadline: &Deadline) -> Result<View, EngineError> {
        self.view_with(deadline, &|_, _| {})
    }

    /// As [`Engine::view`], with reports of the reading progress.
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
        // The index is read while the tree is walked, because both wait for the system.
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

    /// Updates the cached history to HEAD, synchronously. There must be an index. `path`
    /// is the `PATH` that is searched for git.
    ///
    /// # Errors
    /// [`FollowError`], by cause; the history is unchanged.
    pub fn follow_history(
        &self,
        path: &OsStr,
        deadline: &Deadline,
    ) -> Result<Followed, FollowError> {
        let store = Store::new(&self.cache, self.root.path());
        follow::follow(&self.root, &store, path, deadline)
    }

    /// Starts the `ci` beside this program to update the history in the background,
    /// if HEAD has moved; returns whether it was started. To be called after an answer.
    ///
    /// # Errors
    /// The cache cannot be written, or the program cannot be started.
    pub fn follow_history_behind(&self, path: &OsStr) -> io::Result<bool> {
        let store = Store::new(&self.cache, self.root.path());
        behind::start(self.root.path(), &self.cache, &store, path)
    }
}
