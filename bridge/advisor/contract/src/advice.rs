//! The advisor's answer: the output contract (ADV-9 to ADV-11) and the report that carries it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::word::words;

mod parse;
mod weighing;

pub use crate::meta::{CodexMeta, DriverKind, Meta, RedactionCount, Usage};
pub use parse::{AdviceFault, Asked, parse_advice};

/// The value of `preferred_plan` that prefers no plan.
pub const NO_PLAN: &str = "none";

/// Advice that has passed every rule of the output contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// Open questions; at most five.
    pub clarifying_questions: Vec<String>,
    /// Verdicts on the key assumptions.
    pub assumption_check: Vec<AssumptionCheck>,
    /// Other plans; at least one.
    pub alternatives: Vec<Alternative>,
    /// Trade-offs by dimension.
    pub tradeoffs: Vec<Tradeoff>,
    /// The advisor's recommendation.
    pub recommendation: Recommendation,
    /// What to analyse or verify next.
    pub followup_suggestions: Vec<String>,
    /// A summary as text.
    pub raw_text: String,
}

/// The keys of the advice, in the order of its schema.
pub const KEYS: [&str; 7] = [
    "clarifying_questions",
    "assumption_check",
    "alternatives",
    "tradeoffs",
    "recommendation",
    "followup_suggestions",
    "raw_text",
];

/// The verdict on one assumption.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssumptionCheck {
    /// The assumption.
    pub text: String,
    /// The verdict.
    pub status: AssumptionStatus,
    /// Reason for the verdict.
    pub comment: String,
}

words! {
    /// The verdict on an assumption.
    AssumptionStatus {
        /// It is likely to hold.
        Plausible = "plausible",
        /// It may not hold.
        Risky = "risky",
        /// It does not hold.
        Invalid = "invalid",
    }
}

/// Another plan to reach the goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// A short name that the recommendation can refer to.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Advantages.
    pub pros: Vec<String>,
    /// Disadvantages.
    pub cons: Vec<String>,
    /// When to prefer it.
    pub applicable_when: String,
}

/// A trade-off in one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tradeoff {
    /// The dimension.
    pub dimension: Dimension,
    /// The trade-off in words.
    pub notes: String,
}

words! {
    /// The dimensions of a trade-off.
    Dimension {
        /// Ease of change.
        Maintainability = "maintainability",
        /// Possible problems.
        Risk = "risk",
        /// Time and resources.
        Performance = "performance",
        /// Consistency of data and behaviour.
        Consistency = "consistency",
        /// Amount of detail to understand.
        Complexity = "complexity",
    }
}

/// The advisor's recommendation and its confidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recommendation {
    /// A candidate's name, an alternative's name, or `none`.
    pub preferred_plan: String,
    /// The reason; never blank if the plan is `none`.
    pub reason: String,
    /// The advisor's confidence.
    pub confidence: Confidence,
}

words! {
    /// The advisor's confidence.
    Confidence {
        /// A guess.
        Low = "low",
        /// More likely than not.
        Medium = "medium",
        /// Almost certain.
        High = "high",
    }
}

/// The body of a successful response: the advice at the top level, and metadata under `meta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The seven fields of the output contract.
    #[serde(flatten)]
    pub advice: Advice,
    /// Metadata of the run.
    pub meta: Meta,
}

impl Report {
    /// Parses a report from a body; `None` if it is of another version.
    pub(crate) fn read(body: &Value) -> Option<Self> {
        let mut advice = body.as_object()?.clone();
        let meta = serde_json::from_value(advice.remove("meta")?).ok()?;
        let advice = serde_json::from_value(Value::Object(advice)).ok()?;
        Some(Self { advice, meta })
    }
}
