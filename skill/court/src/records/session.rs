//! `session-state.json`: where the hooks of a session hand over to one another.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Folder, Record, VERSION};

/// The most sessions whose facts are kept.
pub const SESSIONS_MAX: usize = 64;

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
}

/// What is known of one session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFacts {
    /// When it began, in milliseconds since 1970.
    pub started_at_ms: u64,
    /// The commit that was checked out when it began; `None` without a repository or a commit.
    pub git_base: Option<String>,
    /// How many turns ended.
    pub turns: u64,
    /// When the present turn began, in milliseconds since 1970.
    pub turn_started_at_ms: Option<u64>,
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
        Vec::new()
    }
}
