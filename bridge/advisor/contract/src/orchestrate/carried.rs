//! The orchestrator's report as the bridge passes it on: validated against its schema, and otherwise kept
//! as JSON, so that fields of later minor versions are not lost.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::report::{Budget, Client, Report, ToolPlan};
use super::{identity, parts};
use crate::failure::Violation;
use crate::id::ThreadId;
use crate::meta::{Meta, Usage};
use crate::schema::ORCHESTRATOR_REPORT;

/// Text in the report if the thread to continue could not be used.
pub const CONTINUITY_LOST: &str = "session continuity unavailable; fallback to stateless exec";

/// Name of the failed command in the list of tool results.
const RESUME: &str = "codex exec resume";

/// Value of `degraded_to` for a turn whose thread was lost.
const STATELESS: &str = "stateless-exec";

/// The orchestrator's report on a prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Orchestration(Value);

impl<'de> Deserialize<'de> for Orchestration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::read(value).map_err(|violations| {
            let first = violations.into_iter().next().map(|violation| violation.message);
            serde::de::Error::custom(first.unwrap_or_default())
        })
    }
}

impl Orchestration {
    /// Validates a report.
    ///
    /// # Errors
    /// All violations of the schema.
    pub fn read(value: Value) -> Result<Self, Vec<Violation>> {
        let violations = ORCHESTRATOR_REPORT.violations(&value);
        if violations.is_empty() { Ok(Self(value)) } else { Err(violations) }
    }

    /// The report if no orchestrator ran.
    #[must_use]
    pub fn none(run_id: String, created_at: String, prompt: &str) -> Self {
        let budget = Budget { wall_ms: 0, max_concurrency: 1, max_injected_chars: 0 };
        let mut report =
            Report::empty(run_id, created_at, Client::codex_cli(None), ToolPlan::empty(0, budget));
        prompt.clone_into(&mut report.inputs.prompt);
        Self(report.to_value())
    }

    /// The text to put before the prompt; may be empty.
    #[must_use]
    pub fn additional_context(&self) -> &str {
        parts::context(&self.0)
    }

    /// Whether only a plan was made.
    #[must_use]
    pub fn is_plan(&self) -> bool {
        parts::run_id(&self.0).starts_with(identity::PLAN)
    }

    /// The report as JSON.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.0
    }

    /// The report with `map` applied to every text, keys excepted. If the result violates the schema, that is an
    /// error of the caller.
    #[must_use]
    pub fn mapped(self, map: impl FnOnce(Value) -> Value) -> Self {
        Self(map(self.0))
    }

    /// The same report with an additional line in `[Limits]`.
    #[must_use]
    pub fn with_limit(mut self, limit: &str) -> Self {
        parts::add_limit(&mut self.0, limit);
        self
    }

    /// The same report with a note that the thread to continue was lost.
    #[must_use]
    pub fn without_continuity(mut self) -> Self {
        lose_continuity(&mut self.0);
        self
    }

    /// The report for the response to the turn.
    #[must_use]
    pub fn answered(self, answered: Answered, meta: &Meta) -> TurnReport {
        let mut report = self.0;
        let members = parts::members(&mut report);
        if let Some(thread) = answered.thread_id {
            member(members, "client").insert("session_id".to_owned(), json!(thread));
        }
        let mut answer = Map::new();
        answer.insert("text".to_owned(), json!(answered.text));
        if let Some(usage) = answered.usage {
            answer.insert("usage".to_owned(), json!(usage));
        }
        members.insert("answer".to_owned(), Value::Object(answer));
        members.insert("meta".to_owned(), json!(meta));
        for limit in &answered.limits {
            if limit == CONTINUITY_LOST {
                lose_continuity(&mut report);
            } else {
                parts::add_limit(&mut report, limit);
            }
        }
        TurnReport(report)
    }
}

/// Result of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The answer.
    pub text: String,
    /// The turn's own tokens, if known.
    pub usage: Option<Usage>,
    /// The thread of the turn.
    pub thread_id: Option<ThreadId>,
    /// Restrictions, one sentence each, without the `[Limits]` prefix.
    pub limits: Vec<String>,
}

/// A report that includes an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct TurnReport(Value);

impl TurnReport {
    /// Validates a report that includes an answer.
    ///
    /// # Errors
    /// All violations of the schema, or the missing answer.
    pub fn read(value: Value) -> Result<Self, Vec<Violation>> {
        let report = Orchestration::read(value)?.0;
        match report.get("answer") {
            Some(_) => Ok(Self(report)),
            None => Err(vec![Violation::new("/answer", "expected an answer, found nothing")]),
        }
    }

    /// The report as JSON.
    #[must_use]
    pub fn body(&self) -> &Value {
        &self.0
    }

    /// Codex's answer.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.pointer("/answer/text").and_then(Value::as_str).unwrap_or_default()
    }

    /// The turn's own tokens, if known.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        serde_json::from_value(self.0.pointer("/answer/usage")?.clone()).ok()
    }

    /// The thread to continue.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        self.0.pointer("/client/session_id").and_then(Value::as_str)?.parse().ok()
    }

    /// Restrictions as text; each line begins with `[Limits]`.
    #[must_use]
    pub fn limits_text(&self) -> &str {
        parts::limits_text(&self.0)
    }

    /// Whether the report is degraded.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        parts::is_degraded(&self.0)
    }

    /// The same report with an additional line in `[Limits]`.
    #[must_use]
    pub fn with_limit(mut self, limit: &str) -> Self {
        parts::add_limit(&mut self.0, limit);
        self
    }
}

/// Records that the thread to continue was lost, once.
fn lose_continuity(report: &mut Value) {
    parts::add_limit(report, CONTINUITY_LOST);
    let members = parts::members(report);
    fail_to_resume(members);
    let degraded = member(members, "degraded");
    let earlier = degraded["reason"].as_str().unwrap_or_default();
    let reason = match earlier {
        "" => CONTINUITY_LOST.to_owned(),
        earlier if earlier.contains(CONTINUITY_LOST) => return,
        earlier => format!("{earlier}; {CONTINUITY_LOST}"),
    };
    // If the orchestrator's report is degraded itself, its level is kept as the more important one.
    if degraded["is_degraded"] != json!(true) {
        degraded.insert("degraded_to".to_owned(), json!(STATELESS));
    }
    degraded.insert("is_degraded".to_owned(), json!(true));
    degraded.insert("reason".to_owned(), json!(reason));
}

/// Adds the failed result of the resume command, unless it exists.
fn fail_to_resume(members: &mut Map<String, Value>) {
    let at = members.get("created_at").cloned().unwrap_or_default();
    let Some(results) = members.get_mut("tool_results").and_then(Value::as_array_mut) else {
        return;
    };
    if results.iter().any(|result| result["tool"] == RESUME) {
        return;
    }
    results.push(json!({
        "tool": RESUME,
        "status": "error",
        "started_at": at,
        "duration_ms": 0,
        "summary": "",
        "error": { "message": CONTINUITY_LOST, "code": "E_SESSION" },
        "redactions": [],
        "truncated": false,
    }));
}

fn member<'m>(parent: &'m mut Map<String, Value>, name: &str) -> &'m mut Map<String, Value> {
    parent
        .get_mut(name)
        .and_then(Value::as_object_mut)
        .expect("the report's schema asks for this member")
}

#[cfg(test)]
mod tests;
