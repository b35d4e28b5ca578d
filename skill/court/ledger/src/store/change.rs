//! A change of ledger or nodes, as it is written to the spool.

use serde::{Deserialize, Serialize};

use crate::records::{Capability, ObjectiveNode, Standing, digest};

/// Separates a session of `xc` from the digest of its unfinished work.
const WORK: &str = "/xc/open/";

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A sub-agent was called, or a session of `xc` left work unfinished: adds a TASK_ACTIVE anchor.
    TaskOpened {
        /// The call's description.
        task_id: String,
        /// The sub-agent's task.
        content: String,
        /// Its origin.
        origin: Origin,
    },
    /// A sub-agent continues in the background: the origin of its task changes from the call to the agent.
    TaskLaunched {
        /// The call.
        call: Origin,
        /// The agent.
        agent: Origin,
    },
    /// A sub-agent ended: removes its TASK_ACTIVE anchor, if it exists.
    TaskClosed {
        /// The task's origin.
        origin: Origin,
        /// The description, for a task of unknown origin.
        task_id: Option<String>,
    },
    /// A decision or finding: adds a DECISION anchor, once per origin.
    Decided {
        /// The task.
        task_id: Option<String>,
        /// The decision. Redacted, without control characters.
        content: String,
        /// Its origin.
        origin: Option<Origin>,
    },
    /// A risk: adds a RISK_HIGH anchor, unless one with the same text exists.
    RiskRaised {
        /// The task.
        task_id: Option<String>,
        /// The risk. Redacted, without control characters.
        content: String,
        /// Its origin.
        origin: Option<Origin>,
    },
    /// An anchor of any kind is resolved by its id.
    Resolved {
        /// The anchor.
        id: String,
    },
    /// Measurements of a sub-agent. Replaces an earlier node of the same agent.
    NodeMeasured {
        /// The node.
        node: Box<ObjectiveNode>,
    },
    /// A capability was observed.
    CapabilitySeen {
        /// The capability.
        capability: Capability,
        /// Its state.
        standing: Standing,
        /// What was observed.
        why: String,
    },
    /// A damaged file was set aside.
    KeptAside {
        /// Its new path.
        path: String,
    },
}

/// The origin of an anchor, as stored in `persistedRef`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(pub String);

impl Origin {
    /// A tool call of a session.
    pub fn call(session_id: &str, tool_use_id: &str) -> Self {
        Self(format!("{session_id}/tool_use/{tool_use_id}"))
    }

    /// A sub-agent of a session.
    pub fn agent(session_id: &str, agent_id: &str) -> Self {
        Self(format!("{session_id}/agent/{agent_id}"))
    }

    /// Unfinished work of a session of `xc`, by its text.
    pub fn work(session_id: &str, words: &str) -> Self {
        Self(format!("{session_id}{WORK}{}", &digest(words)[..16]))
    }

    /// Whether this `persistedRef` is of unfinished work of a session of `xc`.
    pub fn is_work(persisted_ref: &str) -> bool {
        persisted_ref.contains(WORK)
    }

    /// The result of a session of `xc`.
    pub fn session(session_id: &str) -> Self {
        Self(format!("{session_id}/xc/session"))
    }

    /// Whether this `persistedRef` belongs to the session, or to no session.
    pub fn is_of(persisted_ref: Option<&str>, session_id: &str) -> bool {
        let Some((session, _)) = persisted_ref.and_then(|origin| origin.split_once('/')) else {
            return true;
        };
        session == session_id
    }
}
