//! `shellTask`: the model reads the output of a background task of `shell`, waits for the task, or ends it.

use std::sync::Arc;
use std::time::Duration;

use contract::xc::CallStatus;
use futures_util::future::BoxFuture;
use llm::Cancel;
use serde_json::{Map, Value, json};

use super::report;
use super::tasks::{Look, TaskView, Tasks};
use super::timeout::milliseconds;
use crate::action::Action;
use crate::tool::{Outcome, Running, Tool};

/// The longest wait; equal to the longest timeout of a foreground command.
const WAIT_MAX: Duration = Duration::from_secs(600);

/// How long to wait for the end of a task that is being ended.
const END_WAIT: Duration = Duration::from_secs(3);

struct ShellTask(Tasks);

/// The tool `shellTask` for the tasks started by the tool `shell`.
#[must_use]
pub fn shell_task_tool(tasks: &Tasks) -> Arc<dyn Tool> {
    Arc::new(ShellTask(tasks.clone()))
}

impl Tool for ShellTask {
    fn definition(&self) -> llm::Tool {
        llm::Tool {
            name: "shellTask".to_owned(),
            description:
                "Look at a task that shell runs in the background: whether it still runs, \
                          and what it printed since the last look. Wait for its end instead of \
                          looking again and again, or end it."
                    .to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "task": { "type": "integer", "minimum": 1, "description": "Its number" },
                    "wait": {
                        "type": "number",
                        "description": "How long to wait for its end, in milliseconds (default: 0)"
                    },
                    "end": { "type": "boolean", "description": "End it (default: false)" }
                },
                "required": ["task"],
                "additionalProperties": false
            }),
        }
    }

    /// Not concurrent: each call takes the output that was printed.
    fn is_reading(&self) -> bool {
        false
    }

    fn action(&self, _: &Map<String, Value>) -> Action {
        Action::Nothing
    }

    fn run<'a>(&'a self, call: Running<'a>) -> BoxFuture<'a, Outcome> {
        Box::pin(self.look(call.arguments, call.cancel))
    }
}

impl ShellTask {
    async fn look(&self, arguments: &Map<String, Value>, cancel: &Cancel) -> Outcome {
        let Self(tasks) = self;
        let number = arguments.get("task").and_then(Value::as_u64).unwrap_or_default();
        let ends = arguments.get("end").and_then(Value::as_bool) == Some(true);
        if ends && tasks.end(number) {
            tasks.wait(number, END_WAIT, cancel).await;
        } else if !ends {
            tasks.wait(number, wait(arguments), cancel).await;
        }
        let Some(look) = tasks.look(number) else { return unknown(tasks, number) };
        let status = match cancel.is_cancelled() {
            true => CallStatus::Interrupted,
            false => CallStatus::Ok,
        };
        Outcome { status, ..Outcome::ok(text(&look)) }
    }
}

/// The result for the model: the state of the task, then its output.
fn text(look: &Look) -> String {
    let Look { view: TaskView { number, ran, end, .. }, printed, sandbox, put_aside } = look;
    let seconds = ran.as_secs();
    let mut text = match end {
        None => format!("Task {number} runs, since {seconds} s."),
        Some(end) => format!("Task {number} has ended after {seconds} s: {}.", end.words()),
    };
    text.push('\n');
    text.push_str(match printed.as_str() {
        "" => "It printed nothing since the last look.",
        printed => printed,
    });
    let is_failed = end.is_some_and(|end| end.exit() != Some(0));
    if is_failed && sandbox.as_ref().is_some_and(|sandbox| sandbox.has_refused(printed)) {
        text.push('\n');
        text.push_str(report::REFUSED);
    }
    text.push_str(put_aside.as_deref().unwrap_or_default());
    text
}

fn unknown(tasks: &Tasks, number: u64) -> Outcome {
    let known: Vec<String> = tasks.list().iter().map(|task| task.number.to_string()).collect();
    let known = match known.as_slice() {
        [] => "There is none.".to_owned(),
        known => format!("There are: {}.", known.join(", ")),
    };
    Outcome::error(format!("There is no task {number} in the background. {known}"))
}

fn wait(arguments: &Map<String, Value>) -> Duration {
    let asked = arguments.get("wait").and_then(Value::as_f64).and_then(milliseconds);
    asked.unwrap_or_default().min(WAIT_MAX)
}
