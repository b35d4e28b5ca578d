//! `packets/fact_SEQ.json`: what happened in a turn, extracted from its transcript by code alone.

use serde::{Deserialize, Serialize};

use super::node::ObjectiveNode;

/// A fact packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Packet {
    /// Its number.
    pub seq: u64,
    /// Metadata.
    pub meta: PacketMeta,
    /// What happened.
    pub facts: Facts,
    /// An extract of the ledger.
    pub context_snapshot: ContextSnapshot,
    /// Measurements of sub-agents.
    pub delegation_tree: Vec<ObjectiveNode>,
}

/// Metadata of a packet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PacketMeta {
    /// Duration of the turn in milliseconds.
    pub duration_ms: u64,
    /// The number of the turn in the session.
    pub turn_id: u64,
    /// The session.
    #[serde(default)]
    pub session_id: String,
    /// The prompt of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// When the packet was created, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: u64,
    /// The commit of the work tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head: Option<String>,
    /// Number of tasks running in the background.
    #[serde(default)]
    pub background_tasks: usize,
    /// Missing facts, with the reasons.
    #[serde(default)]
    pub limits: Vec<String>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The last calls, newest last.
    pub tool_calls: Vec<ToolCallFact>,
    /// Git's diffstat since the session began.
    pub git_diff_stat: String,
    /// The end of the last message.
    pub final_statement: String,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallFact {
    /// The tool.
    pub name: String,
    /// Its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The shell command, or another description of its subject; one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Its status.
    pub status: CallStatus,
}

/// The status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Without an error.
    Success,
    /// With an error.
    Error,
    /// It was interrupted.
    Interrupted,
    /// It was denied by a rule, a hook or the user.
    Denied,
    /// The transcript, which is written with a delay, has no result yet.
    Pending,
}

/// An extract of the ledger at the packet's creation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextSnapshot {
    /// The open risks and tasks.
    pub active_concerns: Vec<String>,
    /// The last five decisions.
    pub recent_experiences: Vec<String>,
}
