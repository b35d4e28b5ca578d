//! Sub-agent calls that have not ended, and ends whose call was not observed yet: the hooks of both
//! run in parallel, and either may come first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::anchor::TASK_MAX;
use crate::sanitize::sanitize_line;

/// Maximum number of each; the oldest are dropped.
const KEPT_MAX: usize = 64;

/// A sub-agent's call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The beginning of the call's description.
    pub task_id: String,
    /// The calling agent; `None` for the main agent.
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

/// The end of a sub-agent whose call was not observed yet.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ended {
    /// Its last message, truncated.
    #[serde(default)]
    pub words: String,
    /// Why its last request failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// The session ended before it did.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_interrupted: bool,
    /// Its time, in milliseconds since 1970.
    #[serde(default)]
    pub at_ms: u64,
}

/// Unmatched calls and ends, by the sub-agent's id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Launches {
    /// Background calls whose end was not observed.
    pub running: BTreeMap<String, Launch>,
    /// Ends whose call was not observed; read when a foreground call returns.
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

    /// The same with the agent that the client reported.
    #[must_use]
    pub fn with_agent(mut self, agent_id: Option<&str>, agent_type: Option<&str>) -> Self {
        self.agent_id = agent_id.map(str::to_owned);
        self.agent_type = self.agent_type.or_else(|| agent_type.map(str::to_owned));
        self
    }

    /// Whether it was called with a role that delegates.
    #[must_use]
    pub fn is_minister(&self) -> bool {
        let kind = self.agent_type.as_deref().unwrap_or_default();
        [self.task_id.as_str(), kind].iter().any(|text| text.to_lowercase().contains("minister"))
    }
}

impl Launches {
    /// Records a background call; returns its end if that was observed first.
    pub fn launched(&mut self, agent_id: &str, launch: Launch) -> Option<Ended> {
        let ended = self.ended.remove(agent_id);
        if ended.is_none() {
            self.running.insert(agent_id.to_owned(), launch);
            drop_oldest(&mut self.running, |launch| launch.at_ms);
        }
        ended
    }

    /// Records an end; returns the call if it is a background one.
    pub fn ended(&mut self, agent_id: &str, ended: Ended) -> Option<Launch> {
        let launch = self.running.remove(agent_id);
        if launch.is_none() {
            self.ended.insert(agent_id.to_owned(), ended);
            drop_oldest(&mut self.ended, |ended| ended.at_ms);
        }
        launch
    }

    /// The end of a foreground sub-agent whose call has just returned.
    pub fn returned(&mut self, agent_id: &str) -> Option<Ended> {
        self.ended.remove(agent_id)
    }

    /// Whether a call of this session is still running.
    #[must_use]
    pub fn has(&self, session_id: &str) -> bool {
        self.running.values().any(|launch| launch.session_id == session_id)
    }

    /// Removes and returns the calls of a session that ends, which ends them too.
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
