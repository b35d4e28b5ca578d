//! The advisor's answer: the output contract (ADV-9 to ADV-11) and the report that carries it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::word::words;

mod parse;
mod weighing;

pub use crate::meta::{CodexMeta, DriverKind, Meta, RedactionCount, Usage};
pub use parse::{AdviceFault, Asked, parse_advice};

/// The `preferred_plan` that prefers none of the plans.
pub const NO_PLAN: &str = "none";

/// Advice that has passed every rule of the output contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// What still needs an answer; at most five.
    pub clarifying_questions: Vec<String>,
    /// Each key assumption, judged.
    pub assumption_check: Vec<AssumptionCheck>,
    /// Other ways; at least one.
    pub alternatives: Vec<Alternative>,
    /// Gains and risks by dimension.
    pub tradeoffs: Vec<Tradeoff>,
    /// What the advisor would do.
    pub recommendation: Recommendation,
    /// What to analyse or verify next.
    pub followup_suggestions: Vec<String>,
    /// A summary for people.
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

/// One assumption, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssumptionCheck {
    /// The assumption, in words.
    pub text: String,
    /// The verdict.
    pub status: AssumptionStatus,
    /// Why it has this status.
    pub comment: String,
}

words! {
    /// The verdict on an assumption.
    AssumptionStatus {
        /// Nothing speaks against it.
        Plausible = "plausible",
        /// It may not hold.
        Risky = "risky",
        /// It does not hold.
        Invalid = "invalid",
    }
}

/// Another way to reach the goal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// A short name that the recommendation can refer to.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What speaks for it.
    pub pros: Vec<String>,
    /// What speaks against it.
    pub cons: Vec<String>,
    /// When it is the right choice.
    pub applicable_when: String,
}

/// A weighing along one dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tradeoff {
    /// Along which dimension.
    pub dimension: Dimension,
    /// The weighing, in words.
    pub notes: String,
}

words! {
    /// The dimensions of a trade-off.
    Dimension {
        /// How easy it stays to change.
        Maintainability = "maintainability",
        /// What can go wrong.
        Risk = "risk",
        /// Time and resources.
        Performance = "performance",
        /// Agreement of data and behaviour.
        Consistency = "consistency",
        /// How much there is to understand.
        Complexity = "complexity",
    }
}

/// What the advisor would do, and how sure it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recommendation {
    /// A candidate's name, an alternative's name, or `none`.
    pub preferred_plan: String,
    /// Why; never blank when the plan is `none`.
    pub reason: String,
    /// How sure.
    pub confidence: Confidence,
}

words! {
    /// How sure the advisor is.
    Confidence {
        /// A guess.
        Low = "low",
        /// More likely than not.
        Medium = "medium",
        /// Would be surprised to be wrong.
        High = "high",
    }
}

/// The body of a successful answer: the advice at the top level, and what happened under `meta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The seven fields of the output contract.
    #[serde(flatten)]
    pub advice: Advice,
    /// What the bridge did to get it.
    pub meta: Meta,
}

impl Report {
    /// A report from its body; `None` where it is another version's.
    pub(crate) fn read(body: &Value) -> Option<Self> {
        let mut advice = body.as_object()?.clone();
        let meta = serde_json::from_value(advice.remove("meta")?).ok()?;
        let advice = serde_json::from_value(Value::Object(advice)).ok()?;
        Some(Self { advice, meta })
    }
}
