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
    /// The session.
    #[serde(default)]
    pub session_id: String,
    /// The prompt that was worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_id: Option<String>,
    /// When it was made, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: u64,
    /// The commit that the work tree stood on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_head: Option<String>,
    /// How many tasks went on in the background.
    #[serde(default)]
    pub background_tasks: usize,
    /// What is missing from the packet, and why.
    #[serde(default)]
    pub limits: Vec<String>,
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
    /// The shell command, or what else says best what it was about; one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// How it ended.
    pub status: CallStatus,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Without an error.
    Success,
    /// With an error.
    Error,
    /// It was stopped half way.
    Interrupted,
    /// It never ran: a rule, a hook or the user refused it.
    Denied,
    /// The record has no result yet; it lags behind what happens.
    Pending,
}

/// What the ledger said when the packet was made.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ContextSnapshot {
    /// The risks and tasks that stood.
    pub active_concerns: Vec<String>,
    /// The last five decisions.
    pub recent_experiences: Vec<String>,
}
