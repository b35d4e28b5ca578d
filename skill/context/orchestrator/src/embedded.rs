//! The embedded engine as a toolbox: code-intel, with one index for all tools of a run. The only file
//! that depends on it.

mod fault;
mod finding;
mod shared_view;
mod unread;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Instant;

use code_intel::call::{Call, Reply};
use code_intel::catalog;
use code_intel::engine::{cache_folder, follows_history};
use code_intel::tools::graph_rag::Gathered;
use code_intel::tools::index_status::IndexStatus;
use code_intel::tools::rankings::Rankings;
use code_intel::tools::search::{Mode, Snippets};
use code_intel::{Answer, Deadline, Engine, RepoRoot};
use intent::root::Root;

use self::fault::{fault, unavailable};
use self::finding::found;
use self::shared_view::SharedView;
use crate::environment::Environment;
use crate::tool::{Args, Found, ToolFault, Toolbox};

/// The engine for one root and one prompt: it sees the tree as it was when the prompt came.
pub(crate) struct Embedded {
    engine: Arc<Engine>,
    /// The search path for git.
    program_path: OsString,
    /// Whether the repository's history may be read after an answer.
    follows_history: bool,
    /// Created by the first tool call; other calls wait for it.
    view: SharedView,
    /// Shared because two tools search for the prompt's own words.
    rankings: Rankings,
}

impl Embedded {
    /// The engine for a root.
    ///
    /// # Errors
    /// [`ToolFault::Unavailable`] if the root does not exist or there is no folder for the index.
    pub(crate) fn new(root: &Root, environment: &Environment) -> Result<Self, ToolFault> {
        let root = RepoRoot::at(&root.path).map_err(unavailable)?;
        let cache = cache_folder(environment).map_err(unavailable)?;
        let program_path = environment.get("PATH").unwrap_or_default().to_owned();
        let follows_history = follows_history(environment);
        let engine = Arc::new(Engine::new(root, cache));
        Ok(Self {
            engine,
            program_path,
            follows_history,
            view: SharedView::default(),
            rankings: Rankings::default(),
        })
    }
}

impl Drop for Embedded {
    /// Starts another process that reads the history for later prompts.
    fn drop(&mut self) {
        if self.view.is_made() && self.follows_history {
            // If it cannot be started now, a later answer starts it.
            let _ = self.engine.follow_history_behind(&self.program_path);
        }
    }
}

impl Toolbox for Embedded {
    fn offers(&self, tool: &str) -> bool {
        catalog::entry(tool).is_some()
    }

    fn call(&self, tool: &str, args: &Args, due: Instant) -> Result<Found, ToolFault> {
        let view = self.view.of(&self.engine, due)?;
        let deadline = Deadline::after(due.saturating_duration_since(Instant::now()));
        if deadline.passed() {
            return Err(ToolFault::TooSlow);
        }
        let program_path = &self.program_path;
        // The text contains lines from the same ranking.
        let graph_snippets = Snippets::Left;
        let call = Call {
            tool,
            args,
            mode: Some(Mode::Words),
            graph_snippets,
            program_path,
            rankings: &self.rankings,
        };
        let Some(reply) = call.answer(&view, &deadline).map_err(fault)? else {
            return Err(ToolFault::Unavailable("the engine does not have it".to_owned()));
        };
        Ok(match reply {
            Reply::Status(answer) => status(answer),
            Reply::Places(answer) => unread::described(found(answer), &view, &deadline),
            Reply::Nodes(Gathered { answer, context }) => Found {
                context: Some(Box::new(context)),
                ..unread::described(found(answer), &view, &deadline)
            },
            Reply::Chains(answer) => found(answer),
            Reply::Impacted(answer) => found(answer),
            Reply::Functions(answer) => found(answer),
            Reply::Hotspots(answer) => found(answer),
        })
    }
}

/// The state of the index, which has no places.
fn status(answer: Answer<IndexStatus>) -> Found {
    let summary = answer.items.first().map(|status| {
        let state = if status.fresh { "up to date" } else { "not complete" };
        format!("{} files, {} symbols, {state}", status.files, status.symbols)
    });
    let version =
        format!("code-intel {} (index {})", answer.engine.version, answer.engine.index_version);
    let summary = summary.unwrap_or_default();
    Found { version, summary, limits: answer.limits, ..Found::default() }
}
