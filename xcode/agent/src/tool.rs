//! The interface of a tool: a definition for the model, an action to be judged, a run.

use std::path::PathBuf;

use contract::xc::{CallStatus, CommandRun};
use futures_util::future::BoxFuture;
use llm::Cancel;
use serde_json::{Map, Value};

use crate::action::Action;
use crate::change::{Change, Instead};
use crate::host::Host;

/// A tool that the model may call. It is only run with arguments that match its schema, after its
/// action was allowed.
pub trait Tool: Send + Sync {
    /// Name, description and schema, for the model.
    fn definition(&self) -> llm::Tool;

    /// Whether its calls may run concurrently, because they change nothing.
    fn is_reading(&self) -> bool;

    /// The effect of a call. In its paths all links are resolved, as far as they exist.
    fn action(&self, arguments: &Map<String, Value>) -> Action;

    /// The change that a call would make to a file, for the user to see; none if it writes no file or would fail.
    fn change<'a>(
        &'a self,
        _arguments: &'a Map<String, Value>,
        _action: &'a Action,
        _cancel: &'a Cancel,
    ) -> BoxFuture<'a, Option<Change>> {
        Box::pin(std::future::ready(None))
    }

    /// Runs a call. The caller cleans, masks and shortens the text.
    ///
    /// # Cancel safety
    /// If the future is dropped, nothing of the call continues.
    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome>;
}

/// A running call.
#[derive(Clone, Copy)]
pub struct Running<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its arguments, which match the schema.
    pub arguments: &'a Map<String, Value>,
    /// The action that was judged and allowed: the result of the single call of [`Tool::action`]. A path may lead elsewhere
    /// by the time of the run; only the place that is named here is accessed.
    pub action: &'a Action,
    /// The content that is written instead of the arguments', if the user accepted a part of the change.
    pub instead: Option<&'a Instead>,
    /// Receives its output, and answers its questions.
    pub host: &'a dyn Host,
    /// Cancels it.
    pub cancel: &'a Cancel,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: CallStatus,
    /// The text for the model; it begins with what happened.
    pub text: String,
    /// Files that it changed, absolute.
    pub changed: Vec<PathBuf>,
    /// The command that it ran.
    pub command: Option<CommandRun>,
}

impl Outcome {
    /// The result of a successful call.
    pub fn ok(text: impl Into<String>) -> Self {
        Self { status: CallStatus::Ok, text: text.into(), changed: Vec::new(), command: None }
    }

    /// The result of a failed call.
    pub fn error(text: impl Into<String>) -> Self {
        Self { status: CallStatus::Error, ..Self::ok(text) }
    }
}
