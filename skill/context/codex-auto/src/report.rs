//! The report v1.0 in an entry: the orchestrator's JSON object, passed on unchanged, or an empty
//! one if there is none.

use std::time::Duration;

use jiff::Timestamp;
use orchestration::report::{Budget, Report as Typed, ToolPlan};
use orchestration::{identity, parts, settings};
use serde_json::{Map, Value};

use crate::question::Question;

/// A report of the orchestrator, or an empty one.
#[derive(Clone, Debug, PartialEq)]
pub struct Report(Value);

/// The time in an empty report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// The current time.
    At(Timestamp),
    /// None: a plan is always the same.
    Plan,
}

impl Report {
    /// Wraps a value that was validated.
    pub(crate) fn of(value: Value) -> Self {
        Self(value)
    }

    /// A report without context and tools. It does not contain the prompt, which would have to be
    /// masked.
    #[must_use]
    pub fn empty(question: &Question, budget: Duration, stamp: Stamp) -> Self {
        let wall_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        let plan = ToolPlan::empty(1, Budget { wall_ms, ..settings::BUDGET });
        let (run_id, created_at) = match stamp {
            Stamp::Plan => {
                let run_id = identity::plan_id(&question.prompt, "", &plan);
                (run_id, identity::PLAN_TIME.to_owned())
            }
            Stamp::At(now) => {
                (identity::run_id(now, &question.prompt, ""), identity::run_time(now))
            }
        };
        let mut report = Typed::empty(run_id, created_at, question.client.clone(), plan);
        report.inputs.prompt_truncated = Some(!question.prompt.is_empty());
        Self(report.to_value())
    }

    /// The same with the reason why it is empty: a text for `[Limits]`, and details.
    #[must_use]
    pub fn because(mut self, words: &str, details: &str) -> Self {
        let degraded_to = if self.context().is_empty() { "empty" } else { "partial" };
        let text =
            if details.is_empty() { words.to_owned() } else { format!("{words}: {details}") };
        parts::set_degraded(&mut self.0, &text, degraded_to);
        self.say(&text);
        self
    }

    /// The same with a text for the model.
    #[must_use]
    pub fn with_context(mut self, context: String) -> Self {
        parts::set_context(&mut self.0, context);
        self
    }

    /// Adds a line to `[Limits]`.
    pub fn say(&mut self, text: &str) {
        parts::add_limit(&mut self.0, text);
    }

    /// The text for the model; if empty, nothing is injected.
    #[must_use]
    pub fn context(&self) -> &str {
        parts::context(&self.0)
    }

    /// The planned tools and the reasons: `[Auto Tools]`.
    #[must_use]
    pub fn plan(&self) -> &str {
        parts::plan_text(&self.0)
    }

    /// The restrictions: `[Limits]`, one per line.
    #[must_use]
    pub fn limits(&self) -> &str {
        parts::limits_text(&self.0)
    }

    /// The whole report.
    #[must_use]
    pub fn as_value(&self) -> &Value {
        &self.0
    }

    /// The members of the report.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        match self.0 {
            Value::Object(object) => object,
            _ => Map::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use contract::schema::ORCHESTRATOR_REPORT;
    use orchestration::limits;
    use orchestration::report::Client;

    use super::*;

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
