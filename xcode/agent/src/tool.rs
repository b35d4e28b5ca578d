//! What every tool is: a definition for the model, an action to be judged, a run.

use std::path::PathBuf;

use contract::xc::{CallStatus, CommandRun};
use futures_util::future::BoxFuture;
use llm::Cancel;
use serde_json::{Map, Value};

use crate::action::Action;
use crate::change::{Change, Instead};
use crate::host::Host;

/// A tool that the model may call. It is only run with arguments that keep to its schema, after its
/// action was allowed.
pub trait Tool: Send + Sync {
    /// Name, description and schema, for the model.
    fn definition(&self) -> llm::Tool;

    /// Calls of it may run beside each other: it changes nothing.
    fn is_reading(&self) -> bool;

    /// What a call would do. Paths in it are followed through every link, as far as they exist.
    fn action(&self, arguments: &Map<String, Value>) -> Action;

    /// What a call would write, for the user to see; none where it writes no file or could not.
    fn change<'a>(
        &'a self,
        _arguments: &'a Map<String, Value>,
        _action: &'a Action,
        _cancel: &'a Cancel,
    ) -> BoxFuture<'a, Option<Change>> {
        Box::pin(std::future::ready(None))
    }

    /// Runs a call. The text need not be cleaned, masked or shortened: who runs it does that.
    ///
    /// # Cancel safety
    /// Dropped half way, nothing of it goes on.
    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome>;
}

/// A call that runs.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its arguments; they keep to the schema.
    pub arguments: &'a Map<String, Value>,
    /// What was judged and allowed: what [`Tool::action`] said of these arguments, once. Between that and the
    /// run a path may be made to lead elsewhere; only the place that is named here is touched.
    pub action: &'a Action,
    /// What is written in the place of what the arguments say, where the user took a part of the change.
    pub instead: Option<&'a Instead>,
    /// Who is told of its output and asked its questions.
    pub host: &'a dyn Host,
    /// Ends it.
    pub cancel: &'a Cancel,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: CallStatus,
    /// What the model is told; it begins with what happened.
    pub text: String,
    /// Files that it changed, absolute.
    pub changed: Vec<PathBuf>,
    /// The command that it ran.
    pub command: Option<CommandRun>,
}

impl Outcome {
    /// A call that did what it should.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { status: CallStatus::Ok, text: text.into(), changed: Vec::new(), command: None }
    }

    /// A call that failed.
    pub fn error(text: impl Into<String>) -> Self {
        Self { status: CallStatus::Error, ..Self::ok(text) }
    }
}
