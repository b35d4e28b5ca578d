//! The orchestrator's report as the bridge carries it: checked against its schema when it comes in,
//! and otherwise left as it is, so that what a later minor version adds is not lost.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use super::report::{Budget, Client, Report, ToolPlan};
use super::{identity, parts};
use crate::failure::Violation;
use crate::id::ThreadId;
use crate::meta::{Meta, Usage};
use crate::schema::ORCHESTRATOR_REPORT;

/// What the report says where the thread to go on in could not be used.
pub const CONTINUITY_LOST: &str = "session continuity unavailable; fallback to stateless exec";

/// The command whose thread was lost, where tools have their results.
const RESUME: &str = "codex exec resume";

/// What is left of a turn whose thread was lost.
const STATELESS: &str = "stateless-exec";

/// A report on a prompt, as the orchestrator made it.
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
    /// A report that keeps its schema.
    ///
    /// # Errors
    /// Everything in it that breaks the schema.
    pub fn read(value: Value) -> Result<Self, Vec<Violation>> {
        let violations = ORCHESTRATOR_REPORT.violations(&value);
        if violations.is_empty() { Ok(Self(value)) } else { Err(violations) }
    }

    /// The report where no orchestrator was asked.
    #[must_use]
    pub fn none(run_id: String, created_at: String, prompt: &str) -> Self {
        let budget = Budget { wall_ms: 0, max_concurrency: 1, max_injected_chars: 0 };
        let mut report =
            Report::empty(run_id, created_at, Client::codex_cli(None), ToolPlan::empty(0, budget));
        prompt.clone_into(&mut report.inputs.prompt);
        Self(report.to_value())
    }

    /// The text to put before the prompt; empty: nothing.
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

    /// The report with every text of it changed, keys excepted. A text that its place does not
    /// allow then is the caller's fault.
    #[must_use]
    pub fn mapped(self, map: impl FnOnce(Value) -> Value) -> Self {
        Self(map(self.0))
    }

    /// The same report with one more line in `[Limits]`.
    #[must_use]
    pub fn with_limit(mut self, limit: &str) -> Self {
        parts::add_limit(&mut self.0, limit);
        self
    }

    /// The same report, which says that there was a thread to go on in and that it is lost.
    #[must_use]
    pub fn without_continuity(mut self) -> Self {
        lose_continuity(&mut self.0);
        self
    }

    /// The report that answers the turn.
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

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The answer.
    pub text: String,
    /// The turn's own tokens, where they are known.
    pub usage: Option<Usage>,
    /// The thread of the turn.
    pub thread_id: Option<ThreadId>,
    /// What is weaker than asked, one sentence each, without a mark.
    pub limits: Vec<String>,
}

/// A report with an answer in it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct TurnReport(Value);

impl TurnReport {
    /// A report that keeps its schema and has an answer.
    ///
    /// # Errors
    /// Everything in it that breaks the schema, or that there is no answer.
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

    /// What Codex answered.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.pointer("/answer/text").and_then(Value::as_str).unwrap_or_default()
    }

    /// The turn's own tokens, where they are known.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        serde_json::from_value(self.0.pointer("/answer/usage")?.clone()).ok()
    }

    /// The thread to go on in.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        self.0.pointer("/client/session_id").and_then(Value::as_str)?.parse().ok()
    }

    /// What is less than it should be, for people; each line begins with `[Limits]`.
    #[must_use]
    pub fn limits_text(&self) -> &str {
        parts::limits_text(&self.0)
    }

    /// Whether anything is missing.
    #[must_use]
    pub fn is_degraded(&self) -> bool {
        parts::is_degraded(&self.0)
    }

    /// The same report with one more line in `[Limits]`.
    #[must_use]
    pub fn with_limit(mut self, limit: &str) -> Self {
        parts::add_limit(&mut self.0, limit);
        self
    }
}

/// Says that the thread to go on in is lost, once.
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
    // What the orchestrator lacks is the graver loss for the answer.
    if degraded["is_degraded"] != json!(true) {
        degraded.insert("degraded_to".to_owned(), json!(STATELESS));
    }
    degraded.insert("is_degraded".to_owned(), json!(true));
    degraded.insert("reason".to_owned(), json!(reason));
}

/// Adds the result of the command that could not go on, unless it is there.
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
