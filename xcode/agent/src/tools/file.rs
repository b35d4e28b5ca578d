//! The common part of all file tools: a place that is judged and then accessed, and work on a thread that may
//! block. Not here: the individual tools.

use std::future::ready;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use llm::Cancel;
use serde_json::{Map, Value};

use crate::action::Action;
use crate::change::{Change, Instead};
use crate::tool::{Outcome, Running, Tool};
use crate::tools::blocking::{blocking, interrupted};
use crate::tools::input;
use crate::tools::seen::Seen;
use crate::workspace::Workspace;
use crate::workspace::stop::Stop;

/// The description of one tool.
pub(super) struct Spec {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) access: Access,
    /// The argument with the path; without it the root is used.
    pub(super) path: &'static str,
    pub(super) schema: fn() -> Value,
    /// Does the work. An error is a message for the model.
    pub(super) work: fn(&Job<'_>) -> Result<Outcome, String>,
    /// The file's present and new content; only for tools that write.
    pub(super) draft: Option<Drafting>,
}

/// How a tool accesses its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It reads the place, or what is below it.
    Reads,
    /// It creates or changes the file there.
    Writes,
}

/// Computes what a call would write, and writes nothing. An error is a message for the model.
pub(super) type Drafting = fn(&Job<'_>) -> Result<Draft, String>;

/// The content that a call would write.
pub(super) struct Draft {
    /// The file's present content; none if it does not exist.
    pub(super) old: Option<String>,
    pub(super) new: String,
}

/// The work of one call.
pub(super) struct Job<'a> {
    /// The place that was judged, with links resolved.
    pub(super) real: &'a Path,
    /// The same for display.
    pub(super) shown: &'a str,
    pub(super) arguments: &'a Map<String, Value>,
    pub(super) workspace: &'a Workspace,
    pub(super) seen: &'a Seen,
    /// The content that is written instead of the arguments'.
    pub(super) instead: Option<&'a Instead>,
    pub(super) stop: &'a Stop,
}

/// A tool for the files of a workspace.
pub(super) struct FileTool {
    spec: &'static Spec,
    workspace: Workspace,
    seen: Arc<Seen>,
}

impl FileTool {
    pub(super) fn new(spec: &'static Spec, workspace: &Workspace, seen: &Arc<Seen>) -> Self {
        Self { spec, workspace: workspace.clone(), seen: seen.clone() }
    }
}

impl Tool for FileTool {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: self.spec.name.to_owned(),
            description: self.spec.description.to_owned(),
            schema: (self.spec.schema)(),
        }
    }

    fn is_reading(&self) -> bool {
        self.spec.access == Access::Reads
    }

    fn action(&self, arguments: &Map<String, Value>) -> Action {
        let path = input::real(&self.workspace, arguments, self.spec.path);
        match self.spec.access {
            Access::Reads => Action::Read { path },
            Access::Writes => Action::Write { path },
        }
    }

    fn change<'a>(
        &'a self,
        arguments: &'a Map<String, Value>,
        action: &'a Action,
        cancel: &'a Cancel,
    ) -> BoxFuture<'a, Option<Change>> {
        let Some(draft) = self.spec.draft else { return Box::pin(ready(None)) };
        let (real, arguments) = (input::place(action), arguments.clone());
        let (workspace, seen) = (self.workspace.clone(), self.seen.clone());
        Box::pin(blocking(cancel, None, move |stop| {
            let shown = workspace.shown(&real);
            let job = Job {
                real: &real,
                shown: &shown,
                arguments: &arguments,
                workspace: &workspace,
                seen: &seen,
                instead: None,
                stop,
            };
            let Draft { old, new } = draft(&job).ok()?;
            Some(Change { path: shown.into_owned(), old, new, is_divisible: true })
        }))
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let real = input::place(call.action);
        let (arguments, instead) = (call.arguments.clone(), call.instead.cloned());
        let (spec, workspace, seen) = (self.spec, self.workspace.clone(), self.seen.clone());
        Box::pin(blocking(call.cancel, interrupted(), move |stop| {
            let writes = spec.access == Access::Writes;
            if writes && stop.is_now() {
                return interrupted();
            }
            let done = (spec.work)(&Job {
                real: &real,
                shown: &workspace.shown(&real),
                arguments: &arguments,
                workspace: &workspace,
                seen: &seen,
                instead: instead.as_ref(),
                stop,
            });
            match done {
                Ok(outcome) if writes => Outcome { changed: vec![real], ..outcome },
                Ok(outcome) => outcome,
                Err(_) if writes && stop.is_cancelled() => interrupted(),
                Err(told) => Outcome::error(told),
            }
        }))
    }
}
