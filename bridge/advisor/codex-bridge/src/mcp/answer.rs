//! Converts outcomes into MCP results: the whole outcome as `structuredContent`, and a text for clients
//! without structured content. All text from others that a client may print is escaped here.

use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::outcome::Outcome;
use contract::run::{RunProgress, RunRecord, RunState};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use super::text;
use super::tools::GET_RUN;

/// Advice, an answer of the user's own Codex, or a failure.
pub(super) fn outcome(outcome: &Outcome) -> CallToolResult {
    match outcome {
        Outcome::Advice(report) => {
            let mut result = CallToolResult::structured(shown(&outcome.body()));
            result.content = vec![ContentBlock::text(redact::visible(&text::report(report)))];
            result
        }
        Outcome::Turn(report) => {
            let mut result = CallToolResult::structured(shown(&outcome.body()));
            result.content = vec![ContentBlock::text(redact::visible(report.text()))];
            result
        }
        Outcome::Failure(failure) => self::failure(failure),
    }
}

/// A failure: an error of the tool, not of the protocol, so that the model sees it.
pub(super) fn failure(failure: &Failure) -> CallToolResult {
    let body = shown(&serde_json::to_value(failure).unwrap_or(Value::Null));
    let mut result = CallToolResult::structured_error(body.clone());
    result.content = vec![ContentBlock::text(format!("{body:#}"))];
    result
}

/// The body with terminal control sequences escaped in every string and key, whether they came from the model,
/// the daemon or the call's own arguments.
fn shown(body: &Value) -> Value {
    let json = body.to_string();
    serde_json::from_str(&redact::visible_json(&json)).unwrap_or(Value::Null)
}

/// A run's record.
pub(super) fn record(record: &RunRecord) -> CallToolResult {
    let state = record.run.state;
    if !state.is_terminal() {
        return pending(record.run.run_id, state, record.progress.as_ref());
    }
    match record.ended() {
        Some(ended) => outcome(&ended),
        None => {
            let state = state.as_str();
            let message = format!("the run ended as {state}, but its answer is not kept");
            failure(&Failure::new(FailureCode::NotFound, message))
        }
    }
}

/// A run that continues, with its model's progress if known.
pub(super) fn pending(
    run: RunId,
    state: RunState,
    progress: Option<&RunProgress>,
) -> CallToolResult {
    let how = progress.map(|progress| format!(" ({})", progress.words())).unwrap_or_default();
    let message = format!("the run goes on{how}; call {GET_RUN} with this run_id and a wait_s");
    CallToolResult::structured(json!({"run_id": run, "state": state, "message": message}))
}
