//! Code context: what the orchestrator finds in the code for a prompt, and its tools for the model. It
//! runs in this process, and starts at its first use. Not here: the search itself.

use std::path::PathBuf;
use std::sync::Arc;

use contract::xc::CallStatus;
use futures_util::future::BoxFuture;
use llm::Cancel;
use orchestrator::environment::Environment;
use orchestrator::hosted::{Definition, ForPrompt, Hosted, definitions};
use serde_json::{Map, Value};

use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};

/// Code context of a workspace.
#[derive(Debug, Clone)]
pub struct Code {
    hosted: Arc<Hosted>,
}

impl Code {
    /// For the code below `folder`; none if the user has disabled it (`CI_AUTO_TOOLS=off`).
    #[must_use]
    pub fn of(environment: Environment, folder: PathBuf) -> Option<Self> {
        let hosted = Hosted::new(environment, folder);
        (!hosted.is_off()).then(|| Self { hosted: Arc::new(hosted) })
    }

    /// The context for a prompt; empty if the turn ends first. The search ends by itself at its deadline.
    pub(crate) async fn for_prompt(&self, prompt: &str, cancel: &Cancel) -> ForPrompt {
        let (hosted, prompt) = (Arc::clone(&self.hosted), prompt.to_owned());
        let found = tokio::task::spawn_blocking(move || hosted.for_prompt(&prompt));
        // Both arms are cancel safe: a late result is dropped.
        tokio::select! {
            () = cancel.cancelled() => ForPrompt::default(),
            found = found => found.unwrap_or_default(),
        }
    }
}

/// The tools `ci_*`, which are read-only.
#[must_use]
pub fn code_tools(code: &Code) -> Vec<Arc<dyn Tool>> {
    let tool = |definition| {
        Arc::new(CodeTool { hosted: Arc::clone(&code.hosted), definition }) as Arc<dyn Tool>
    };
    definitions().into_iter().map(tool).collect()
}

struct CodeTool {
    hosted: Arc<Hosted>,
    definition: Definition,
}

impl Tool for CodeTool {
    fn definition(&self) -> llm::Tool {
        let Definition { name, about, schema } = &self.definition;
        let (name, description) = ((*name).to_owned(), (*about).to_owned());
        llm::Tool { name, description, schema: Value::Object(schema.clone()) }
    }

    fn is_reading(&self) -> bool {
        true
    }

    /// Private files are neither read nor listed, nor is anything outside of the root.
    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        let (hosted, name) = (Arc::clone(&self.hosted), self.definition.name);
        let arguments = call.arguments.clone();
        Box::pin(async move {
            let answer = tokio::task::spawn_blocking(move || hosted.call(name, &arguments));
            // Both arms are cancel safe: the search ends by itself at its deadline.
            tokio::select! {
                () = call.cancel.cancelled() => {
                    Outcome { status: CallStatus::Interrupted, ..Outcome::error("") }
                }
                answer = answer => match answer {
                    Ok(Ok(text)) => Outcome::ok(text),
                    Ok(Err(why)) => Outcome::error(format!("{name} has no answer: {why}")),
                    Err(_) => Outcome::error(format!("{name} failed: an internal error.")),
                },
            }
        })
    }
}
