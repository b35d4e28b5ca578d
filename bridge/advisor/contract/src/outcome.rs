//! What a run comes to: a report or a failure, and the body that says so.

use serde_json::Value;

use crate::advice::{Advice, Meta, Report};
use crate::failure::Failure;
use crate::orchestrate::TurnReport;

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// With advice.
    Advice(Box<Report>),
    /// With what the user's own Codex answered.
    Turn(Box<TurnReport>),
    /// With a failure.
    Failure(Failure),
}

impl Outcome {
    /// The body that the caller gets.
    #[must_use]
    pub fn body(&self) -> Value {
        let body = match self {
            Self::Advice(report) => serde_json::to_value(report),
            Self::Turn(report) => return report.body().clone(),
            Self::Failure(failure) => serde_json::to_value(failure),
        };
        body.expect("an outcome is plain JSON")
    }

    /// Back from a stored body; nothing where it is neither.
    #[must_use]
    pub fn from_body(body: &Value) -> Option<Self> {
        if body.get("error").is_some() {
            return serde_json::from_value(body.clone()).ok().map(Self::Failure);
        }
        if body.get("schema_version").is_some() {
            return TurnReport::read(body.clone()).ok().map(Box::new).map(Self::Turn);
        }
        let mut advice = body.as_object()?.clone();
        let meta: Meta = serde_json::from_value(advice.remove("meta")?).ok()?;
        let advice: Advice = serde_json::from_value(Value::Object(advice)).ok()?;
        Some(Self::Advice(Box::new(Report { advice, meta })))
    }
}
