//! Calls of sub-agents that have not ended, and ends whose call has not been seen: the hooks of both
//! run side by side, and either may come first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::anchor::TASK_MAX;
use crate::sanitize::sanitize_line;

/// How many of each are kept; the oldest go first.
const KEPT_MAX: usize = 64;

/// A sub-agent's call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The beginning of the call's description.
    pub task_id: String,
    /// The agent that called; `None` for the main agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The sub-agent, once it has an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Its type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<String>,
    /// The session.
    #[serde(default)]
    pub session_id: String,
    /// When it was called, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: u64,
}

/// The end of a sub-agent whose call has not been seen yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ended {
    /// Its last words, bounded.
    #[serde(default)]
    pub words: String,
    /// Why its last request failed, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The session ended before it did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interrupted: bool,
    /// When, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: u64,
}

/// What waits for its other half, by the sub-agent's id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Launches {
    /// In the background, and not seen to end.
    pub running: BTreeMap<String, Launch>,
    /// Ended, and not seen to be called; a foreground call reads this when it returns.
    pub ended: BTreeMap<String, Ended>,
}

impl Launch {
    /// A call, from its input.
    #[must_use]
    pub fn of(input: &Value, parent_id: Option<&str>, session_id: &str, now_ms: u64) -> Self {
        let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = sanitize_line(text("subagent_type"), TASK_MAX);
        let task = match sanitize_line(text("description"), TASK_MAX) {
            task if task.is_empty() => sanitize_line(text("prompt"), TASK_MAX),
            task => task,
        };
        Self {
            task_id: task,
            parent_id: parent_id.map(str::to_owned),
            agent_id: None,
            agent_type: (!kind.is_empty()).then_some(kind),
            session_id: session_id.to_owned(),
            at_ms: now_ms,
        }
    }

    /// The same with what the client returned.
    #[must_use]
    pub fn with_agent(mut self, agent_id: Option<&str>, agent_type: Option<&str>) -> Self {
        self.agent_id = agent_id.map(str::to_owned);
        self.agent_type = self.agent_type.or_else(|| agent_type.map(str::to_owned));
        self
    }

    /// Whether it was called as one who leads others.
    #[must_use]
    pub fn is_minister(&self) -> bool {
        let kind = self.agent_type.as_deref().unwrap_or_default();
        [self.task_id.as_str(), kind].iter().any(|text| text.to_lowercase().contains("minister"))
    }
}

impl Launches {
    /// Remembers a call in the background; gives its end if that came first.
    pub fn launched(&mut self, agent_id: &str, launch: Launch) -> Option<Ended> {
        let ended = self.ended.remove(agent_id);
        if ended.is_none() {
            self.running.insert(agent_id.to_owned(), launch);
            drop_oldest(&mut self.running, |launch| launch.at_ms);
        }
        ended
    }

    /// Remembers an end; gives the call if it was one in the background.
    pub fn ended(&mut self, agent_id: &str, ended: Ended) -> Option<Launch> {
        let launch = self.running.remove(agent_id);
        if launch.is_none() {
            self.ended.insert(agent_id.to_owned(), ended);
            drop_oldest(&mut self.ended, |ended| ended.at_ms);
        }
        launch
    }

    /// The end of a sub-agent in the foreground, whose call has returned now.
    pub fn returned(&mut self, agent_id: &str) -> Option<Ended> {
        self.ended.remove(agent_id)
    }

    /// Whether a call of this session is still running.
    #[must_use]
    pub fn has(&self, session_id: &str) -> bool {
        self.running.values().any(|launch| launch.session_id == session_id)
    }

    /// The calls of a session that ends: they are ended by that.
    pub fn abandoned(&mut self, session_id: &str) -> Vec<Launch> {
        let (gone, running) = std::mem::take(&mut self.running)
            .into_iter()
            .partition(|(_, launch)| launch.session_id == session_id);
        self.running = running;
        let gone: BTreeMap<String, Launch> = gone;
        gone.into_values().collect()
    }
}

fn drop_oldest<T>(waiting: &mut BTreeMap<String, T>, at: impl Fn(&T) -> u64) {
    while waiting.len() > KEPT_MAX {
        let oldest = waiting.iter().min_by_key(|(_, one)| at(one)).map(|(id, _)| id.clone());
        let Some(oldest) = oldest else { break };
        waiting.remove(&oldest);
    }
}
