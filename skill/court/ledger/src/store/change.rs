//! A change of ledger or nodes, as it is written down before it is applied.

use serde::{Deserialize, Serialize};

use crate::records::{Capability, ObjectiveNode, Standing, digest};

/// What stands between a session of our own agent and the digest of work that it left open.
const WORK: &str = "/xc/open/";

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// A sub-agent was called, or a session of our own agent left work open: a TASK_ACTIVE anchor.
    TaskOpened {
        /// The call's description.
        task_id: String,
        /// What the sub-agent is to do.
        content: String,
        /// Where it comes from.
        origin: Origin,
    },
    /// A sub-agent goes on in the background: its task now hangs on the agent, not on the call.
    TaskLaunched {
        /// The call.
        call: Origin,
        /// The agent.
        agent: Origin,
    },
    /// A sub-agent ended: its TASK_ACTIVE goes. Nothing happens where it is gone already.
    TaskClosed {
        /// Where the task came from.
        origin: Origin,
        /// The description, for a task whose origin is not known.
        task_id: Option<String>,
    },
    /// Something was decided or found out: a DECISION anchor. Not added twice for one origin.
    Decided {
        /// The task.
        task_id: Option<String>,
        /// The decision. Redacted, without control characters.
        content: String,
        /// Where it comes from.
        origin: Option<Origin>,
    },
    /// A danger stands: a RISK_HIGH anchor. Not added while the same words stand.
    RiskRaised {
        /// The task.
        task_id: Option<String>,
        /// The danger. Redacted, without control characters.
        content: String,
        /// Where it comes from.
        origin: Option<Origin>,
    },
    /// An anchor of any kind is resolved by its id.
    Resolved {
        /// The anchor.
        id: String,
    },
    /// A sub-agent was measured. Replaces an earlier node of the same agent.
    NodeMeasured {
        /// The node.
        node: Box<ObjectiveNode>,
    },
    /// Something was seen of a capability.
    CapabilitySeen {
        /// Which.
        capability: Capability,
        /// How it stands.
        standing: Standing,
        /// What was seen.
        why: String,
    },
    /// A damaged file was kept aside.
    KeptAside {
        /// Where it is now.
        path: String,
    },
}

/// Where an anchor comes from, as it stands in `persistedRef`.
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

    /// Work that a session of our own agent left open, by its words.
    pub fn work(session_id: &str, words: &str) -> Self {
        Self(format!("{session_id}{WORK}{}", &digest(words)[..16]))
    }

    /// Whether something with this `persistedRef` is work that a session of our own agent left open.
    pub fn is_work(persisted_ref: &str) -> bool {
        persisted_ref.contains(WORK)
    }

    /// What a session of our own agent came to.
    pub fn session(session_id: &str) -> Self {
        Self(format!("{session_id}/xc/session"))
    }

    /// Whether something with this `persistedRef` belongs to the session, or to none.
    pub fn is_of(persisted_ref: Option<&str>, session_id: &str) -> bool {
        let Some((session, _)) = persisted_ref.and_then(|origin| origin.split_once('/')) else {
            return true;
        };
        session == session_id
    }
}
