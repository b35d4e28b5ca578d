//! What the court rests on: what the client is able to do for it (V1 to V13 of the design), its own files,
//! git, its own time. Noted as it was seen and not as it is assumed, with the form that stands in.

use serde::{Deserialize, Serialize};

/// An ability that a mechanism rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Capability {
    /// What a `SubagentStop` hook answers reaches the sub-agent.
    #[serde(rename = "V1")]
    SubagentFeedback,
    /// The end of a sub-agent fires `SubagentStop`.
    #[serde(rename = "V2")]
    SubagentStop,
    /// A sub-agent can be kept going more than once.
    #[serde(rename = "V3")]
    SubagentLoop,
    /// What a hook injects reaches the conversation.
    #[serde(rename = "V9")]
    ContextInjection,
    /// A denied tool call does not run.
    #[serde(rename = "V10")]
    Denial,
    /// The fact packet can be made from transcript and git.
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
    /// Git tells what changed.
    #[serde(rename = "GIT")]
    Git,
    /// The manifest of phases can be read.
    #[serde(rename = "MANIFEST")]
    Manifest,
    /// A hook answers each call within its time and without a fault of its own.
    #[serde(rename = "HOOK")]
    Hook,
    /// Each call can be judged.
    #[serde(rename = "JUDGE")]
    Judging,
}

/// How a capability stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It was seen to work.
    Works,
    /// It was seen to fail; the degraded form is on.
    Degraded,
}

/// What was seen last of a capability.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// How it stands.
    pub standing: Standing,
    /// What was seen.
    pub why: String,
    /// The form that stands in; absent while it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// When this was seen first, in milliseconds since 1970.
    pub since_ms: u64,
    /// How often, where it was more than once.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u32,
    /// When it was seen last, where it was more than once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_ms: Option<u64>,
    /// How it stood before, so that a recovery is on record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Before>,
}

/// How a capability stood before it was seen otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// How it stood.
    pub standing: Standing,
    /// What was seen then.
    pub why: String,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
}

impl Observation {
    /// When it was seen last, in milliseconds since 1970.
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

/// The mode of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Nothing is known to fail.
    #[default]
    Full,
    /// Something is replaced by its degraded form.
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

    /// What it means, in a few words.
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

    /// What stands in where it fails.
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
