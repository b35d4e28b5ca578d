//! The table of checks that a Codex must pass in the self-test. Pure.

use codex_driver::models::Models;
use contract::schema::ADVICE_WIRE;
use serde_json::Value;

use super::{Failed, PROMPTS, Seen};

/// One check: its name, and a function that returns the fault, if any.
type Check = (&'static str, fn(&Seen) -> Option<String>);

/// The checks, in reporting order.
const CHECKS: [Check; 8] = [
    ("turns", turns),
    ("configuration", configuration),
    ("version", version),
    ("catalogue", catalogue),
    ("tools", tools),
    ("schema", schema),
    ("sandbox", sandbox),
    ("thread", thread),
];

/// The failed checks.
pub(super) fn judge(seen: &Seen) -> Vec<Failed> {
    let failed = CHECKS.iter().filter_map(|(check, look)| {
        look(seen).map(|reason| Failed { check: (*check).to_owned(), reason })
    });
    failed.collect()
}

/// Both rounds were answered, with one request each.
fn turns(seen: &Seen) -> Option<String> {
    for (round, end) in (1..).zip(&seen.ends) {
        if let Err(failure) = &end.outcome {
            let said = failure.raw.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            return Some(format!("round {round} ended with `{}`: {said}", failure.code.as_str()));
        }
    }
    let (rounds, requests) = (seen.ends.len(), seen.requests.len());
    (rounds != PROMPTS.len() || requests != PROMPTS.len())
        .then(|| format!("{rounds} rounds made {requests} requests"))
}

/// No key of the private home is unknown. With `--strict-config` an unknown key ends the turn; a warning counts too.
fn configuration(seen: &Seen) -> Option<String> {
    let said = seen.ends.iter().flat_map(|end| {
        let raw = end.outcome.as_ref().err().map(|failure| failure.raw.as_str());
        raw.into_iter().chain(end.warnings.iter().map(String::as_str))
    });
    let mut lines = said.flat_map(str::lines);
    let line = lines.find(|line| {
        line.contains("unknown configuration field") || line.contains("unrecognized configuration")
    });
    line.map(|line| format!("a key of the private home is unknown: {}", line.trim()))
}

/// The version that it prints equals the one that it sends to the provider.
fn version(seen: &Seen) -> Option<String> {
    let agent = seen.requests.first().and_then(|request| request.header("user-agent"))?;
    let told = agent.split_once('/').map_or(agent, |(_, rest)| rest);
    let told = told.split([' ', '-', '+']).next().unwrap_or_default();
    (told != seen.version)
        .then(|| format!("it prints version {}, and tells providers {told}", seen.version))
}

/// Its model catalogue can be trimmed, so that no model brings its own tools.
fn catalogue(seen: &Seen) -> Option<String> {
    match &seen.models {
        Models::Trimmed { .. } => None,
        Models::Untrimmed { reason } => Some(reason.clone()),
    }
}

/// The model is offered no tool.
fn tools(seen: &Seen) -> Option<String> {
    let mut tools: Vec<String> = seen.requests.iter().flat_map(|it| it.tools()).collect();
    tools.dedup();
    (!tools.is_empty()).then(|| format!("the model is offered {}", tools.join(", ")))
}

/// The schema of the answer is sent unchanged and strict, in each round.
fn schema(seen: &Seen) -> Option<String> {
    let is_passed_on = seen.requests.iter().all(|request| {
        let format = &request.json()["text"]["format"];
        format["type"] == "json_schema"
            && format["strict"] == true
            && format["schema"] == *ADVICE_WIRE.document()
    });
    (!is_passed_on).then(|| "the schema of the answer is not passed on".to_owned())
}

/// By Codex's own record, each turn was read-only and could not request more rights.
fn sandbox(seen: &Seen) -> Option<String> {
    let lines = seen.record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let contexts: Vec<Value> = lines
        .filter(|line| line["type"] == "turn_context")
        .map(|it| it["payload"].clone())
        .collect();
    let is_pinned = |context: &Value| {
        context["sandbox_policy"]["type"] == "read-only" && context["approval_policy"] == "never"
    };
    let all = contexts.len() >= PROMPTS.len() && contexts.iter().all(is_pinned);
    (!all).then(|| "its turns are not recorded as read-only".to_owned())
}

/// The second round continued the thread of the first.
fn thread(seen: &Seen) -> Option<String> {
    let [first, second] = seen.ends.as_slice() else {
        return Some("the thread was not resumed".to_owned());
    };
    let said = seen.requests.last().map(mock_model::Recorded::user_texts).unwrap_or_default();
    let is_same = first.thread_id.is_some() && first.thread_id == second.thread_id;
    let is_whole = PROMPTS.iter().all(|prompt| said.iter().any(|text| text == prompt));
    (!is_same || !is_whole).then(|| "a resumed thread does not hold its first round".to_owned())
}
