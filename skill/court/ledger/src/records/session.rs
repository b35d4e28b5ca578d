//! `session-state.json`: state shared by the hooks of a session.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::launch::Launches;
use super::record::{Folder, Record, VERSION};

/// Maximum number of stored sessions.
pub const SESSIONS_MAX: usize = 64;
/// Maximum number of sub-agents recorded as inspected.
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
    /// How often the current historian was continued.
    pub historian_cycle_count: u32,
    /// Whether the main agent is working.
    pub butler_working: bool,
    /// Facts about the newest sessions, by their id.
    pub sessions: BTreeMap<String, SessionFacts>,
    /// Unmatched calls and ends of sub-agents.
    pub launches: Launches,
    /// State of the historian.
    pub historian: HistorianFacts,
}

/// Facts about one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFacts {
    /// When it began, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// The checked-out commit at its start.
    pub git_base: Option<Base>,
    /// Number of finished turns.
    pub turns: u64,
    /// When the last turn ended, in milliseconds since 1970; 0 before the first.
    pub turn_ended_at_ms: u64,
    /// The prompt for which a review was last requested, so that none is requested twice.
    pub asked_for: Option<String>,
    /// Time of that request, in milliseconds since 1970.
    pub asked_at_ms: u64,
}

/// The commit at a session's start. Never changed afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// This commit.
    Commit(String),
    /// A repository without a commit.
    Empty,
    /// Unknown, because git failed for this reason.
    Unknown(String),
}

/// State of the historian.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HistorianFacts {
    /// The running historian.
    pub agent_id: Option<String>,
    /// Whether it was already reminded that its answer could not be parsed.
    pub is_reminded: bool,
    /// How often a review was requested at the end of a turn.
    pub asked: u64,
    /// The newest packet shown to it.
    pub packet_seq: u64,
    /// Sub-agents whose transcripts were inspected, newest last.
    pub looked: Vec<String>,
    /// Historians whose answers were used, newest last.
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
