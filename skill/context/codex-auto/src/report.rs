//! The report v1.0 as an entry has it: the kernel's own object, handed on as it came, or an empty one
//! for a kernel that said nothing. Its fields are fixed by `schemas/orchestrator-report.schema.json`.

use std::time::Duration;

use contract::orchestrate::Orchestration;
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::limits;
use crate::question::Question;

/// Where the text for the model is, a JSON Pointer.
pub(crate) const CONTEXT: &str = "/fused_context/for_model/additional_context";
/// Where `[Limits]` is.
const LIMITS: &str = "/fused_context/for_user/limits_text";
/// The time of a plan, as the kernel has it: plans repeat to the byte.
const PLAN_TIME: &str = "1970-01-01T00:00:00Z";

/// A report.
#[derive(Clone, Debug, PartialEq)]
pub struct Report(Value);

/// What an empty report says of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// When it was made.
    At(Timestamp),
    /// Nothing: a plan is the same every time.
    Plan,
}

impl Report {
    /// The kernel's object, whose shape is known to be right.
    pub(crate) fn of(object: Map<String, Value>) -> Self {
        Self(Value::Object(object))
    }

    /// A report without context and without tools. It does not repeat the prompt: what nobody has masked
    /// is not handed on.
    #[must_use]
    pub fn empty(question: &Question, budget: Duration, stamp: Stamp) -> Self {
        let wall_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        let (run_id, created_at) = identity(question, stamp);
        let mut report = Orchestration::none(&run_id, &created_at, "").body().clone();
        report["client"] = question.client.to_value();
        report["inputs"]["prompt_truncated"] = json!(!question.prompt.is_empty());
        report["tool_plan"]["tier_max"] = json!(1);
        report["tool_plan"]["budget"] =
            json!({ "wall_ms": wall_ms, "max_concurrency": 3, "max_injected_chars": 12_000 });
        Self(report)
    }

    /// The same, which says why it is empty: the words for `[Limits]`, and the details.
    #[must_use]
    pub fn because(mut self, words: &str, details: &str) -> Self {
        let degraded_to = if self.context().is_empty() { "empty" } else { "partial" };
        let text =
            if details.is_empty() { words.to_owned() } else { format!("{words}: {details}") };
        self.0["degraded"] =
            json!({ "is_degraded": true, "reason": text, "degraded_to": degraded_to });
        self.say(&text);
        self
    }

    /// The same with a text for the model.
    #[must_use]
    pub fn with_context(mut self, context: String) -> Self {
        if let Some(place) = self.0.pointer_mut(CONTEXT) {
            *place = Value::String(context);
        }
        self
    }

    /// Adds a line to `[Limits]`.
    pub fn say(&mut self, text: &str) {
        let line = limits::line(text);
        let before = self.limits();
        let after = if before.is_empty() { line } else { format!("{before}\n{line}") };
        if let Some(place) = self.0.pointer_mut(LIMITS) {
            *place = Value::String(after);
        }
    }

    /// The text for the model; empty: inject nothing.
    #[must_use]
    pub fn context(&self) -> &str {
        self.text(CONTEXT)
    }

    /// Which tools and why: `[Auto Tools]`.
    #[must_use]
    pub fn plan(&self) -> &str {
        self.text("/fused_context/for_user/tool_plan_text")
    }

    /// What was found: `[Results]`.
    #[must_use]
    pub fn results(&self) -> &str {
        self.text("/fused_context/for_user/results_text")
    }

    /// What is less than it should be: `[Limits]`, a line each.
    #[must_use]
    pub fn limits(&self) -> &str {
        self.text(LIMITS)
    }

    /// The folder that the context is about, where the kernel found one.
    #[must_use]
    pub fn repo_root(&self) -> Option<&str> {
        self.0.pointer("/inputs/repo_root").and_then(Value::as_str)
    }

    /// The whole.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The whole, by its keys.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        match self.0 {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }

    fn text(&self, pointer: &str) -> &str {
        self.0.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Run id and time, by the kernel's rule, for a question without root and tools.
fn identity(question: &Question, stamp: Stamp) -> (String, String) {
    let mut hash = Sha256::new();
    hash.update(question.prompt.as_bytes());
    hash.update([0]);
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    match stamp {
        Stamp::Plan => (format!("plan-{}", &hex[..12]), PLAN_TIME.to_owned()),
        Stamp::At(now) => {
            let second = Timestamp::from_second(now.as_second()).unwrap_or(now);
            (format!("{}-{}", now.strftime("%Y%m%d-%H%M%S"), &hex[..6]), second.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::schema::ORCHESTRATOR_REPORT;

    use super::*;
    use crate::question::Client;

    fn question() -> Question {
        Question {
            prompt: "fix the token ghp_0123456789".to_owned(),
            client: Client::claude_code(Some("s1".to_owned())),
            cwd: "/".into(),
            context_max: None,
        }
    }

    #[test]
    fn an_empty_report_keeps_the_contract() {
        let now = Timestamp::from_second(1_795_000_000).unwrap();
        let budget = Duration::from_secs(5);
        for stamp in [Stamp::Plan, Stamp::At(now)] {
            let empty = Report::empty(&question(), budget, stamp);
            assert_eq!(ORCHESTRATOR_REPORT.violations(empty.as_value()), []);
            let said = empty.because(limits::UNAVAILABLE, "it is gone");
            assert_eq!(ORCHESTRATOR_REPORT.violations(said.as_value()), []);
            assert_eq!(said.limits(), "[Limits] orchestrator unavailable: it is gone");
            assert!(
                !said.as_value().to_string().contains("ghp_"),
                "unmasked words are not repeated"
            );
        }
        let plan = Report::empty(&question(), budget, Stamp::Plan);
        assert_eq!(plan, Report::empty(&question(), budget, Stamp::Plan));
    }
}
