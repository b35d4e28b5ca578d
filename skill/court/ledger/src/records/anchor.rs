//! An anchor of the ledger: a decision, a risk or a task.

use serde::{Deserialize, Serialize};

/// Maximum length of a task's name, in characters: the design cuts the description there.
pub const TASK_MAX: usize = 50;
/// The longest content of an anchor, in characters.
pub const CONTENT_MAX: usize = 500;

/// One entry of `cal.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Anchor {
    /// `decision_7`, `risk_8`, `task_9`: the number is the ledger's `lastSeq` at its creation.
    pub id: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: AnchorKind,
    /// The task it belongs to: the description of the sub-agent's call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The decision, the risk or the task. Redacted, without control characters.
    pub content: String,
    /// Time of creation, in milliseconds since 1970.
    #[serde(default)]
    pub created_at: u64,
    /// When it expires; if absent, the kind's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_on: Option<Expiry>,
    /// Its origin: `SESSION/tool_use/ID`, `SESSION/agent/ID`, `SESSION/xc/...`, or a file's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persisted_ref: Option<String>,
}

/// The kinds of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnchorKind {
    /// A decision or a finding.
    #[serde(rename = "DECISION")]
    Decision,
    /// An unresolved risk.
    #[serde(rename = "RISK_HIGH")]
    RiskHigh,
    /// A task that a sub-agent works on, or that a session left unfinished.
    #[serde(rename = "TASK_ACTIVE")]
    TaskActive,
}

/// When an anchor expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expiry {
    /// Never.
    #[serde(rename = "NEVER")]
    Never,
    /// With its task.
    #[serde(rename = "TASK_COMPLETED")]
    TaskCompleted,
    /// When it is resolved explicitly.
    #[serde(rename = "EXPLICIT_RESOLVED")]
    ExplicitResolved,
}

impl AnchorKind {
    /// The value used in the file and in output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Decision => "DECISION",
            Self::RiskHigh => "RISK_HIGH",
            Self::TaskActive => "TASK_ACTIVE",
        }
    }

    /// The prefix of the ids.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::RiskHigh => "risk",
            Self::TaskActive => "task",
        }
    }

    /// The default expiry of this kind.
    pub fn expiry(self) -> Expiry {
        match self {
            Self::Decision => Expiry::Never,
            Self::RiskHigh => Expiry::ExplicitResolved,
            Self::TaskActive => Expiry::TaskCompleted,
        }
    }
}
