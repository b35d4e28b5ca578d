//! `packets/fact_SEQ.json`: what happened in a turn, taken from its record by code alone.

use serde::{Deserialize, Serialize};

use super::node::ObjectiveNode;

/// A fact packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Packet {
    /// Its number.
    pub seq: u64,
    /// How it was made.
    pub meta: PacketMeta,
    /// What happened.
    pub facts: Facts,
    /// What the ledger says.
    pub context_snapshot: ContextSnapshot,
    /// What sub-agents did.
    pub delegation_tree: Vec<ObjectiveNode>,
}

/// How a packet was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacketMeta {
    /// How long the turn took.
    pub duration_ms: u64,
    /// The number of the turn in the session.
    pub turn_id: u64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The last calls, the newest last.
    pub tool_calls: Vec<ToolCallFact>,
    /// What git says of the changes since the session began.
    pub git_diff_stat: String,
    /// The end of the last message.
    pub final_statement: String,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallFact {
    /// The tool.
    pub name: String,
    /// The file it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How it ended.
    pub status: CallStatus,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Without an error.
    Success,
    /// With an error, a denial or an interrupt.
    Error,
}

/// What the ledger said when the packet was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextSnapshot {
    /// The risks and tasks that stood.
    pub active_concerns: Vec<String>,
    /// The last five decisions.
    pub recent_experiences: Vec<String>,
}
