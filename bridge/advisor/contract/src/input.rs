//! The input contract: a question to the advisor (ADV-7, ADV-8).

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};

use crate::id::SessionId;
use crate::word::words;

mod parse;

pub use crate::phase::Phase;
pub use parse::{InputFault, parse_input};

/// One question to the advisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdvisorInput {
    /// The problem, in one to three sentences; never blank.
    pub problem: String,
    /// Technology stack, constraints, structure and whatever else affects the decision. May be empty.
    pub context: String,
    /// The caller's own plans, at least one; names are unique.
    pub candidate_plans: Vec<CandidatePlan>,
    /// Questions to answer first.
    #[serde(default)]
    pub questions_for_codex: Vec<String>,
    /// Topics that are out of scope.
    #[serde(default)]
    pub non_goals: Vec<String>,
    /// Which of the two rounds this is.
    pub phase: Phase,
    /// The session to continue; absent to open one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Absolute path of a folder that Codex may read, if the operator allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Limits and options of this run.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub options: Options,
}

/// A plan of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CandidatePlan {
    /// A short name that the recommendation can refer to.
    pub name: String,
    /// What the plan does.
    pub description: String,
    /// Assumptions of the plan.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The caller's doubts about the plan.
    #[serde(default)]
    pub suspicions: Vec<String>,
}

/// Limits and options of a run. Everything is optional; the daemon's configuration is the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// Timeout of the run in milliseconds from its acceptance.
    #[serde(
        default,
        deserialize_with = "whole_milliseconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout_ms: Option<u64>,
    /// The model to use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reasoning effort of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<ReasoningEffort>,
}

impl Options {
    /// Whether no option is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

words! {
    /// Codex's `model_reasoning_effort` values (codex 0.169).
    ReasoningEffort {
        /// The model's minimum of reasoning.
        Minimal = "minimal",
        /// Quick.
        Low = "low",
        /// The usual default.
        Medium = "medium",
        /// Slow and thorough.
        High = "high",
        /// The model's maximum.
        Xhigh = "xhigh",
    }
}

/// JSON has only one number type: `30000.0` counts as a whole number, as in the schema.
fn whole_milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let whole = number.as_u64().or_else(|| {
        let value = number.as_f64()?;
        let is_whole = value.fract() == 0.0 && (0.0..9e15).contains(&value);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
        is_whole.then_some(value as u64)
    });
    whole.map(Some).ok_or_else(|| serde::de::Error::custom("expected whole milliseconds"))
}
