//! An anchor of the ledger: what must not be forgotten.

use serde::{Deserialize, Serialize};

/// The longest name of a task, in characters: the design cuts the description there.
pub const TASK_MAX: usize = 50;
/// The longest content of an anchor, in characters.
pub const CONTENT_MAX: usize = 500;

/// One entry of `cal.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// `decision_7`, `risk_8`, `task_9`: the number is the ledger's `lastSeq` when it was made.
    pub id: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: AnchorKind,
    /// The task it belongs to: the description of the sub-agent's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// What was decided, is at risk or is being done. Redacted, without control characters.
    pub content: String,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    pub created_at: u64,
    /// When it ceases to stand; by its kind where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_on: Option<Expiry>,
    /// Where it comes from: `SESSION/tool_use/ID`, `SESSION/agent/ID`, `SESSION/xc/...`, or a file's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_ref: Option<String>,
}

/// The kinds of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnchorKind {
    /// Something was decided or found out.
    #[serde(rename = "DECISION")]
    Decision,
    /// A danger that stands until it is resolved.
    #[serde(rename = "RISK_HIGH")]
    RiskHigh,
    /// A task that a sub-agent works on, or that a session left open.
    #[serde(rename = "TASK_ACTIVE")]
    TaskActive,
}

/// When an anchor ceases to stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expiry {
    /// It stays.
    #[serde(rename = "NEVER")]
    Never,
    /// With its task.
    #[serde(rename = "TASK_COMPLETED")]
    TaskCompleted,
    /// When it is resolved by name.
    #[serde(rename = "EXPLICIT_RESOLVED")]
    ExplicitResolved,
}

impl AnchorKind {
    /// The word in the file and in front of people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Decision => "DECISION",
            Self::RiskHigh => "RISK_HIGH",
            Self::TaskActive => "TASK_ACTIVE",
        }
    }

    /// The beginning of the ids.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::RiskHigh => "risk",
            Self::TaskActive => "task",
        }
    }

    /// When an anchor of this kind ceases to stand, unless it says otherwise.
    pub fn expiry(self) -> Expiry {
        match self {
            Self::Decision => Expiry::Never,
            Self::RiskHigh => Expiry::ExplicitResolved,
            Self::TaskActive => Expiry::TaskCompleted,
        }
    }
}
