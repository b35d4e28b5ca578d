//! The settings, resolved once for each call: environment, project's file, user's file, default. All
//! faults are found together; a setting with a fault keeps the value it would have without it.

mod fault;
mod keys;
mod read;

use std::time::Duration;

use gate::Policy;

use crate::environment::Audience;

pub use fault::{Fault, Source};
pub(crate) use read::project_text;
pub use read::{Resolved, resolve};

/// The commented file of defaults.
pub const DEFAULT_FILE: &str = include_str!("config/default.toml");

/// The settings of the court.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Whether the hooks do anything.
    pub enabled: Enabled,
    /// What a fault of the court itself means for a tool call.
    pub fail: Fail,
    /// Who reviews what is refused.
    pub reviewer: ReviewBy,
    /// When the end of a turn is held for a review, where a person sits at the client.
    pub review: ReviewWhen,
    /// The same in print mode: the client prints its last message, and that would be another one.
    pub print_review: ReviewWhen,
    /// How long a hook may take.
    pub deadline: Duration,
    /// How long a hook may take that reads transcripts or git.
    pub packet_deadline: Duration,
    /// How strict the gate is.
    pub policy: Policy,
    /// What is done with an L2 call that is not approved.
    pub l2: Verdict,
    /// Whose approvals count.
    pub approver: ApproveBy,
    /// Folders whose content may be lost.
    pub scratch: Vec<String>,
    /// Paths that may not be changed without a review.
    pub protected: Vec<String>,
    /// Commands that need no review although the gate asks for one.
    pub allow: Vec<gate::Pattern>,
    /// How long an approval can be used.
    pub review_expires: Duration,
    /// How much of the ledger is put before the model, in UTF-16 units.
    pub context_max: usize,
    /// How many fact packets are kept.
    pub packets_keep: usize,
    /// The types of sub-agents that are the historian.
    pub historian_agents: Vec<String>,
    /// How often the historian may be kept going.
    pub historian_loops: u32,
}

/// Whether the court acts in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enabled {
    /// It does.
    Yes,
    /// Its hooks are silent.
    No,
}

/// What a fault of the court itself means for a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    /// The client's own rules decide.
    Open,
    /// The call is denied.
    Closed,
}

/// Who reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewBy {
    /// The historian sub-agent.
    Historian,
    /// Codex through the bridge; the historian where that fails.
    Codex,
}

/// When the end of a turn is held for a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewWhen {
    /// Never.
    Off,
    /// After a turn that changed something, was refused something, or had a sub-agent.
    Changes,
    /// After every turn.
    Always,
}

impl ReviewWhen {
    /// The word in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Changes => "changes",
            Self::Always => "always",
        }
    }
}

/// What is done with an L2 call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is denied until it is reviewed.
    Deny,
    /// The user is asked.
    Ask,
}

/// Whose approvals count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApproveBy {
    /// The user's, the historian's and Codex's.
    Any,
    /// Only the user's, with a signature.
    User,
}

impl Config {
    /// When the end of a turn is held for a review, by who reads what the client says.
    pub fn review_for(&self, audience: Audience) -> ReviewWhen {
        match audience {
            Audience::Person => self.review,
            Audience::Program => self.print_review,
        }
    }

    /// Whether a sub-agent of this type is the historian. The client names a plugin's agents
    /// `PLUGIN:NAME`; an agent `historian` alone is the project's or another's.
    pub fn is_historian(&self, agent_type: &str) -> bool {
        self.historian_agents.iter().any(|name| name == agent_type)
    }
}

#[cfg(test)]
mod tests;
