//! `session-state.json`: where the hooks of a session hand over to one another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::launch::Launches;
use super::record::{Folder, Record, VERSION};

/// The most sessions whose facts are kept.
pub const SESSIONS_MAX: usize = 64;
/// The most sub-agents that are remembered as looked into.
const SEEN_MAX: usize = 200;

/// The state of the hooks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionState {
    /// The version of this format.
    pub version: u32,
    /// When the historian last began, RFC 3339.
    pub last_historian_at: Option<String>,
    /// When the newest session began, RFC 3339.
    pub session_start: Option<String>,
    /// The commit up to which the historian has read the log.
    pub git_log_offset: Option<String>,
    /// How often the present historian was kept going.
    pub historian_cycle_count: u32,
    /// Whether the main agent is at work.
    pub butler_working: bool,
    /// Facts of the newest sessions by their id.
    pub sessions: BTreeMap<String, SessionFacts>,
    /// Sub-agents' calls that wait for their ends, and the other way round.
    pub launches: Launches,
    /// What the historian has seen.
    pub historian: HistorianFacts,
}

/// What is known of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFacts {
    /// When it began, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// What was checked out when it began.
    pub git_base: Option<Base>,
    /// How many turns ended.
    pub turns: u64,
    /// When the last turn ended, in milliseconds since 1970; 0 before the first.
    pub turn_ended_at_ms: u64,
    /// The prompt for which a review was asked last, so that none is asked for twice.
    pub asked_for: Option<String>,
    /// When that was, in milliseconds since 1970.
    pub asked_at_ms: u64,
}

/// Where a session began. It is written at its start and never again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// On this commit.
    Commit(String),
    /// In a repository without a commit.
    Empty,
    /// Where git had nothing to say, and why.
    Unknown(String),
}

/// What the historian has seen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HistorianFacts {
    /// The historian that is kept going.
    pub agent_id: Option<String>,
    /// It was told once that its answer could not be read.
    pub is_reminded: bool,
    /// How often a review was asked for at the end of a turn.
    pub asked: u64,
    /// The newest packet that was shown.
    pub packet_seq: u64,
    /// Sub-agents whose records were looked into, the newest last.
    pub looked: Vec<String>,
    /// Historians whose answers were taken, the newest last.
    pub heard: Vec<String>,
}

impl Default for SessionState {
    fn default() -> Self {
        Self {
            version: VERSION,
            last_historian_at: None,
            session_start: None,
            git_log_offset: None,
            historian_cycle_count: 0,
            butler_working: false,
            sessions: BTreeMap::new(),
            launches: Launches::default(),
            historian: HistorianFacts::default(),
        }
    }
}

impl Record for SessionState {
    const FOLDER: Folder = Folder::Historian;
    const NAME: &'static str = "session-state.json";
    const BYTES_MAX: u64 = 1 << 20;

    fn version(&self) -> u32 {
        self.version
    }

    fn bound(&mut self) -> Vec<String> {
        while self.sessions.len() > SESSIONS_MAX {
            let oldest = self.sessions.iter().min_by_key(|(_, facts)| facts.started_at_ms);
            let Some(oldest) = oldest.map(|(id, _)| id.clone()) else { break };
            self.sessions.remove(&oldest);
        }
        for seen in [&mut self.historian.looked, &mut self.historian.heard] {
            seen.drain(..seen.len().saturating_sub(SEEN_MAX));
        }
        Vec::new()
    }
}
