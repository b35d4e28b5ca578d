//! The advisor's answer: the output contract (ADV-9 to ADV-11) and the report that carries it.

use serde::{Deserialize, Serialize};

use crate::id::{RunId, SessionId, ThreadId};
use crate::input::Phase;

mod parse;
mod weighing;

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

/// One assumption, judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssumptionCheck {
    /// The assumption, in words.
    pub text: String,
    /// The verdict.
    pub status: AssumptionStatus,
    /// Why.
    pub comment: String,
}

/// The verdict on an assumption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssumptionStatus {
    /// Nothing speaks against it.
    Plausible,
    /// It may not hold.
    Risky,
    /// It does not hold.
    Invalid,
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

/// The dimensions of a trade-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// How easy it stays to change.
    Maintainability,
    /// What can go wrong.
    Risk,
    /// Time and resources.
    Performance,
    /// Agreement of data and behaviour.
    Consistency,
    /// How much there is to understand.
    Complexity,
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

/// How sure the advisor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// A guess.
    Low,
    /// More likely than not.
    Medium,
    /// Would be surprised to be wrong.
    High,
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

/// What the bridge did for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// This run.
    pub run_id: RunId,
    /// The session it belongs to.
    pub session_id: SessionId,
    /// 1 or 2.
    pub round: u8,
    /// How many rounds the session still has: 0 or 1.
    pub rounds_left: u8,
    /// The phase that was asked for.
    pub phase: Phase,
    /// Codex processes started: 1 or 2 (0 when a run failed before the first).
    pub attempts: u8,
    /// From acceptance to the end, in milliseconds.
    pub duration_ms: u64,
    /// Spent waiting for a worker, in milliseconds.
    pub queue_ms: u64,
    /// Which Codex answered.
    pub codex: CodexMeta,
    /// This run's own tokens; absent when no turn was completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What is weaker than asked, one sentence each.
    pub limits: Vec<String>,
    /// What was masked before the question left, by kind.
    pub redactions: Vec<RedactionCount>,
}

/// Which Codex answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodexMeta {
    /// Such as `0.169.0`; absent when Codex was never reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model, where one was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Codex's own id of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
}

/// Tokens of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens sent.
    pub input_tokens: u64,
    /// Of those, served from the provider's cache.
    pub cached_input_tokens: u64,
    /// Tokens received, reasoning included.
    pub output_tokens: u64,
    /// Of those, spent on reasoning.
    pub reasoning_output_tokens: u64,
}

impl Usage {
    /// What both cost.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens + other.input_tokens,
            cached_input_tokens: self.cached_input_tokens + other.cached_input_tokens,
            output_tokens: self.output_tokens + other.output_tokens,
            reasoning_output_tokens: self.reasoning_output_tokens + other.reasoning_output_tokens,
        }
    }

    /// What was spent after `before`. Codex reports the total of a whole thread (codex 0.169), so
    /// this turns two totals of one thread into the tokens of what lies between them.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_sub(before.input_tokens),
            cached_input_tokens: self
                .cached_input_tokens
                .saturating_sub(before.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_sub(before.output_tokens),
            reasoning_output_tokens: self
                .reasoning_output_tokens
                .saturating_sub(before.reasoning_output_tokens),
        }
    }
}

/// How many secrets of a kind were masked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedactionCount {
    /// The kind, such as `aws_access_key_id`.
    pub kind: String,
    /// How many times.
    pub count: u32,
}
