//! The two tools: their descriptions and schemas, and the arguments of `get_run`.

use std::sync::Arc;
use std::time::Duration;

use contract::failure::{Failure, FailureCode, Violation, places};
use contract::id::RunId;
use contract::limits::TIMEOUT_MAX_MS;
use contract::schema;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// Name of the tool that asks a question and waits for its answer.
pub(super) const CONSULT_ADVISOR: &str = "consult_advisor";

/// Name of the tool that reads a run.
pub(super) const GET_RUN: &str = "get_run";

/// The server's instructions, which a client may pass to its model.
pub(super) const INSTRUCTIONS: &str = "\
Codex as an advisor on designs; you decide. Ask with consult_advisor when several modules are involved and \
boundaries are unclear, in high-risk areas (performance, security, data consistency), when two or more designs \
compete, or when the user wants an expert opinion; not for single-file changes or obvious bug fixes. At most \
two rounds: phase `initial`, then, only if it would change your decision, phase `final` with the session_id of \
`meta.session_id`. A result that is an error has `error.type`: mend every entry of `error.details` for \
`input_error`; make your own short analysis for `bridge_failure` (CODEX_FALLBACK) and say that it is yours; go \
on without advice for `codex_failure` and say so. Never wait or retry in a loop.";

/// Maximum wait of one `get_run`, in seconds: the longest deadline of a run.
const WAIT_MAX_S: u64 = TIMEOUT_MAX_MS / 1000;

/// The arguments of `get_run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RunWish {
    pub(super) run: RunId,
    pub(super) wait: Duration,
}

/// All tools, in listing order.
pub(super) fn all() -> Vec<Tool> {
    let consult = Tool::new(
        CONSULT_ADVISOR,
        "Ask Codex for a second opinion on a design, and wait for it (usually one to five minutes; a model may think for nine). \
         Returns clarifying questions, checked assumptions, alternatives, trade-offs and a recommendation \
         with a confidence; `meta.session_id` is for the second and last round.",
        object(schema::ADVISOR_INPUT.document()),
    );
    let hints = ToolAnnotations::with_title("Consult the Codex advisor");
    let consult = consult.with_annotations(hints.read_only(true).open_world(true));

    let get_run = Tool::new(
        GET_RUN,
        "Look at a run by its id: its advice or failure once it has ended, else its state. With `wait_s` it \
         waits that long for the end.",
        object(&json!({
            "type": "object",
            "required": ["run_id"],
            "additionalProperties": false,
            "properties": {
                "run_id": {
                    "description": "The run, as `meta.run_id` or `run_id` of an earlier result names it.",
                    "type": "string",
                    "format": "uuid",
                },
                "wait_s": {
                    "description": "Seconds to wait for the end of the run.",
                    "type": "integer",
                    "minimum": 0,
                    "maximum": WAIT_MAX_S,
                    "default": 0,
                },
            },
        })),
    );
    let hints = ToolAnnotations::with_title("Look at an advisor run");
    vec![consult, get_run.with_annotations(hints.read_only(true).idempotent(true))]
}

/// Parses the arguments of `get_run`.
///
/// # Errors
/// `contract_violation` with every violation.
pub(super) fn run_wish(arguments: &JsonObject) -> Result<RunWish, Failure> {
    let mut violations = Vec::new();
    for name in arguments.keys().filter(|name| !["run_id", "wait_s"].contains(&name.as_str())) {
        let message = format!("unknown argument `{name}`");
        let known = Violation::new("", message).with_hint("there are `run_id` and `wait_s`");
        violations.push(known);
    }
    let run = arguments.get("run_id").and_then(Value::as_str).and_then(|text| text.parse().ok());
    if run.is_none() {
        let hint = "take it from `meta.run_id` or `run_id` of an earlier result";
        let message = format!("expected a run's id, found {}", found(arguments.get("run_id")));
        violations.push(Violation::new("/run_id", message).with_hint(hint));
    }
    let wait = match arguments.get("wait_s") {
        None => Some(0),
        Some(value) => value.as_u64().filter(|&seconds| seconds <= WAIT_MAX_S),
    };
    if wait.is_none() {
        let wait = found(arguments.get("wait_s"));
        let message = format!("expected whole seconds from 0 to {WAIT_MAX_S}, found {wait}");
        violations.push(Violation::new("/wait_s", message));
    }
    match (run, wait, violations.is_empty()) {
        (Some(run), Some(seconds), true) => Ok(RunWish { run, wait: Duration::from_secs(seconds) }),
        _ => {
            let message =
                format!("the arguments of {GET_RUN} are wrong in {}", places(violations.len()));
            Err(Failure::new(FailureCode::ContractViolation, message).with_details(violations))
        }
    }
}

/// A value as quoted in a message.
fn found(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| format!("`{value:.60}`"))
}

/// A schema in the type of the MCP library.
fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(arguments: &Value) -> Result<RunWish, Vec<String>> {
        run_wish(arguments.as_object().unwrap()).map_err(|failure| {
            assert_eq!(failure.error.code, FailureCode::ContractViolation);
            failure.error.details.into_iter().map(|fault| fault.message).collect()
        })
    }

    #[test]
    fn a_run_is_asked_for_with_or_without_waiting() {
        let id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
        let run: RunId = id.parse().unwrap();
        assert_eq!(wish(&json!({"run_id": id})), Ok(RunWish { run, wait: Duration::ZERO }));
        let wait = Duration::from_secs(590);
        assert_eq!(wish(&json!({"run_id": id, "wait_s": 590})), Ok(RunWish { run, wait }));
    }

    #[test]
    fn every_fault_of_the_arguments_is_said_at_once() {
        let faults = wish(&json!({"run": "x", "run_id": 7, "wait_s": 591})).unwrap_err();
        assert_eq!(
            faults,
            [
                "unknown argument `run`",
                "expected a run's id, found `7`",
                "expected whole seconds from 0 to 590, found `591`",
            ]
        );
        assert_eq!(wish(&json!({})).unwrap_err(), ["expected a run's id, found nothing"]);
    }
}
