//! `delegation-tree.json`: what each sub-agent really did. Version 1 of the file is a plain list.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record};

/// The most nodes that are kept; the oldest beyond go to the archive.
pub const NODES_MAX: usize = 5_000;

/// The list of nodes, in the order in which the sub-agents ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree(pub Vec<ObjectiveNode>);

/// What one sub-agent did, measured from outside, and what it says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectiveNode {
    /// The task: the description of the call.
    pub task_id: String,
    /// The agent that made the call; `None` for the main agent.
    #[serde(default)]
    pub parent_id: Option<String>,
    /// The sub-agent's own id, which its children name as their parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The sub-agent's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Whether it delegated in turn.
    pub role: Role,
    /// What was counted.
    pub metrics: Metrics,
    /// What it says of itself; never the source of a metric.
    pub self_report: SelfReport,
    /// Its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_log_path: Option<String>,
    /// When it ended, in milliseconds since 1970.
    #[serde(default)]
    pub created_at: u64,
}

/// The place of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It delegated.
    Minister,
    /// It did the work itself.
    Worker,
}

/// What was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// How many tools it called.
    pub tool_call_count: u64,
    /// Their names, each once.
    pub tools_used: Vec<String>,
    /// Whether one of them wrote.
    pub has_write_operation: bool,
    /// How it ended.
    pub exit_status: ExitStatus,
    /// How long it took.
    pub duration_ms: u64,
    /// How many tokens it used, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<u64>,
    /// What its requests to the model used, by its own record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// A request of it to the model failed; the client says "completed" even so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub api_failure: bool,
    /// Whether anything could be counted; else only its own words are known.
    #[serde(default = "yes")]
    pub measured: bool,
}

/// Tokens of all requests of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Sent, those served from the provider's cache included.
    pub input: u64,
    /// Of those, served from the cache.
    pub cached_input: u64,
    /// Produced by the model.
    pub output: u64,
}

impl Tokens {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// Nodes of another hand say nothing of it.
fn yes() -> bool {
    true
}

/// How a sub-agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// By itself.
    Success,
    /// With a failure, its model's or its own.
    Error,
    /// It was stopped.
    Interrupted,
}

/// What a sub-agent says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfReport {
    /// The beginning of its result.
    pub summary: String,
    /// How sure it says it is.
    pub confidence: Confidence,
    /// What it says went wrong.
    #[serde(default)]
    pub anomalies: Vec<String>,
}

/// How sure a sub-agent says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Sure.
    High,
    /// Says nothing, or not quite.
    Medium,
    /// Not sure.
    Low,
}

impl Record for Tree {
    const FOLDER: Folder = Folder::Historian;
    const NAME: &'static str = "delegation-tree.json";
    const BYTES_MAX: u64 = 16 << 20;
    const OPENS: u8 = b'[';

    fn bound(&mut self) -> Vec<String> {
        let over = self.0.len().saturating_sub(NODES_MAX);
        self.0.drain(..over).filter_map(|node| serde_json::to_string(&node).ok()).collect()
    }
}
