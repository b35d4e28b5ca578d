//! What the court depends on: abilities of the client (V1 to V13 of the design), its own files,
//! git, its own response time. Recorded as observed, not as assumed, with the degraded form in use.

use serde::{Deserialize, Serialize};

/// An ability that a mechanism depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Capability {
    /// The response of a `SubagentStop` hook reaches the sub-agent.
    #[serde(rename = "V1")]
    SubagentFeedback,
    /// The end of a sub-agent triggers `SubagentStop`.
    #[serde(rename = "V2")]
    SubagentStop,
    /// A sub-agent can be kept going more than once.
    #[serde(rename = "V3")]
    SubagentLoop,
    /// Text that a hook injects reaches the conversation.
    #[serde(rename = "V9")]
    ContextInjection,
    /// A denied tool call does not run.
    #[serde(rename = "V10")]
    Denial,
    /// The fact packet can be built from transcript and git.
    #[serde(rename = "V11")]
    FactPacket,
    /// A sub-agent's result carries metrics.
    #[serde(rename = "V12")]
    ObjectiveNode,
    /// The allow-list of a phase is enforced.
    #[serde(rename = "V13")]
    AllowList,
    /// Ledger and state can be written.
    #[serde(rename = "STORE")]
    Store,
    /// Git reports changes.
    #[serde(rename = "GIT")]
    Git,
    /// The manifest of phases can be read.
    #[serde(rename = "MANIFEST")]
    Manifest,
    /// A hook answers each call in time and without an internal error.
    #[serde(rename = "HOOK")]
    Hook,
    /// Each call can be judged.
    #[serde(rename = "JUDGE")]
    Judging,
}

/// State of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It was observed to work.
    Works,
    /// It was observed to fail; the degraded form is used.
    Degraded,
}

/// The last observation of a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Its state.
    pub standing: Standing,
    /// What was observed.
    pub why: String,
    /// The degraded form; absent while it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Time of the first such observation, in milliseconds since 1970.
    pub since_ms: u64,
    /// Number of such observations, if more than one.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
    /// Time of the last such observation, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<u64>,
    /// The previous state, so that a recovery is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// The state of a capability before it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The state.
    pub standing: Standing,
    /// What was observed then.
    pub why: String,
    /// Start of that state, in milliseconds since 1970.
    pub since_ms: u64,
}

impl Observation {
    /// Time of the last such observation, in milliseconds since 1970.
    pub fn last_ms(&self) -> u64 {
        self.last_ms.unwrap_or(self.since_ms)
    }
}

fn once() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_once(times: &u32) -> bool {
    *times == once()
}

/// The overall mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// No failure is known.
    #[default]
    Full,
    /// Something uses its degraded form.
    Degraded,
}

impl Capability {
    /// All of them, in order.
    pub const ALL: [Self; 13] = [
        Self::SubagentFeedback,
        Self::SubagentStop,
        Self::SubagentLoop,
        Self::ContextInjection,
        Self::Denial,
        Self::FactPacket,
        Self::ObjectiveNode,
        Self::AllowList,
        Self::Store,
        Self::Git,
        Self::Manifest,
        Self::Hook,
        Self::Judging,
    ];

    /// Its number in the design, or its name.
    pub fn number(self) -> &'static str {
        match self {
            Self::SubagentFeedback => "V1",
            Self::SubagentStop => "V2",
            Self::SubagentLoop => "V3",
            Self::ContextInjection => "V9",
            Self::Denial => "V10",
            Self::FactPacket => "V11",
            Self::ObjectiveNode => "V12",
            Self::AllowList => "V13",
            Self::Store => "STORE",
            Self::Git => "GIT",
            Self::Manifest => "MANIFEST",
            Self::Hook => "HOOK",
            Self::Judging => "JUDGE",
        }
    }

    /// Its meaning, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::SubagentFeedback => "feedback reaches a sub-agent",
            Self::SubagentStop => "the end of a sub-agent is seen",
            Self::SubagentLoop => "the historian may go on several times",
            Self::ContextInjection => "the ledger reaches the conversation",
            Self::Denial => "a denied call does not run",
            Self::FactPacket => "facts are taken from transcript and git",
            Self::ObjectiveNode => "sub-agents are measured",
            Self::AllowList => "a phase's list of tools is enforced",
            Self::Store => "ledger and state can be written",
            Self::Git => "git tells what changed",
            Self::Manifest => "the manifest of phases can be read",
            Self::Hook => "each call is answered in time",
            Self::Judging => "each call can be judged",
        }
    }

    /// The degraded form that is used if it fails.
    pub fn form(self) -> &'static str {
        match self {
            Self::SubagentFeedback | Self::SubagentStop | Self::SubagentLoop => {
                "the historian reviews once"
            }
            Self::ContextInjection => "file only: read .claude/historian/cal.json",
            Self::Denial => "a warning instead of a denial",
            Self::FactPacket => "a summary by the model is asked for",
            Self::ObjectiveNode => "the sub-agent's own words, marked as unmeasured",
            Self::AllowList => "a reminder instead of a denial",
            Self::Store => "nothing is recorded; gates still hold",
            Self::Git => "packets without a diff, reviews without a log",
            Self::Manifest => "phases are not enforced; court.fail = \"closed\" denies",
            Self::Hook | Self::Judging => "the user is asked; court.fail = \"closed\" denies",
        }
    }
}
