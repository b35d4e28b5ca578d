//! `delegation-tree.json`: measurements of what each sub-agent did. Version 1 of the file is a plain list.

use serde::{Deserialize, Serialize};

use super::record::{Folder, Record};

/// Maximum number of nodes; the oldest beyond are moved to the archive.
pub const NODES_MAX: usize = 5_000;

/// The list of nodes, in the order in which the sub-agents ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree(pub Vec<ObjectiveNode>);

/// What one sub-agent did, measured from outside, and its own report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectiveNode {
    /// The task: the description of the call.
    pub task_id: String,
    /// The calling agent; `None` for the main agent.
    #[serde(default)]
    pub parent_id: Option<String>,
    /// The sub-agent's id, to which its children refer as their parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The sub-agent's type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// Whether it delegated itself.
    pub role: Role,
    /// The measurements.
    pub metrics: Metrics,
    /// Its own report; never the source of a metric.
    pub self_report: SelfReport,
    /// Its transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_log_path: Option<String>,
    /// When it ended, in milliseconds since 1970.
    #[serde(default)]
    pub created_at: u64,
}

/// The role of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It delegated.
    Minister,
    /// It did the work itself.
    Worker,
}

/// Measurements of a sub-agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Number of tool calls.
    pub tool_call_count: u64,
    /// Names of the tools, without repeats.
    pub tools_used: Vec<String>,
    /// Whether one of them wrote.
    pub has_write_operation: bool,
    /// Its exit status.
    pub exit_status: ExitStatus,
    /// Its duration in milliseconds.
    pub duration_ms: u64,
    /// Number of tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<u64>,
    /// Tokens of its model requests, from its own transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// One of its model requests failed; the client still reports "completed".
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub api_failure: bool,
    /// Whether anything could be measured; otherwise only its own report is known.
    #[serde(default = "yes")]
    pub measured: bool,
}

/// Tokens of all requests of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Input tokens, cached ones included.
    pub input: u64,
    /// Input tokens from the cache.
    pub cached_input: u64,
    /// Output tokens.
    pub output: u64,
}

impl Tokens {
    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            cached_input: self.cached_input.saturating_add(other.cached_input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// Default for nodes of other writers, which do not have the field.
fn yes() -> bool {
    true
}

/// The exit status of a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// By itself.
    Success,
    /// With an error, of its model or its own.
    Error,
    /// It was stopped.
    Interrupted,
}

/// A sub-agent's own report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelfReport {
    /// The beginning of its result.
    pub summary: String,
    /// Its stated confidence.
    pub confidence: Confidence,
    /// Its stated problems.
    #[serde(default)]
    pub anomalies: Vec<String>,
}

/// A sub-agent's stated confidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Sure.
    High,
    /// Not stated, or partly.
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
