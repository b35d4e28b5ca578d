//! The settings, resolved once per call: environment, project's file, user's file, default. All
//! faults are reported together; an invalid value is ignored.

mod fault;
mod keys;
mod read;

use std::time::Duration;

use gate::Policy;

use crate::environment::Audience;

pub use fault::{Fault, Source};
pub(crate) use read::project_text;
pub use read::{Resolved, resolve};

/// The default file, with comments.
pub const DEFAULT_FILE: &str = include_str!("config/default.toml");

/// The settings of the court.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Whether the hooks do anything.
    pub enabled: Enabled,
    /// What happens to a tool call if the court itself fails.
    pub fail: Fail,
    /// Who reviews refused calls.
    pub reviewer: ReviewBy,
    /// When a review is requested at the end of a turn, if a person uses the client.
    pub review: ReviewWhen,
    /// The same in print mode, where the review would become the client's last, printed message.
    pub print_review: ReviewWhen,
    /// Deadline of a hook.
    pub deadline: Duration,
    /// Deadline of a hook that reads transcripts or git.
    pub packet_deadline: Duration,
    /// How strict the gate is.
    pub policy: Policy,
    /// What happens to an L2 call without approval.
    pub l2: Verdict,
    /// Whose approvals are valid.
    pub approver: ApproveBy,
    /// Folders whose content is disposable.
    pub scratch: Vec<String>,
    /// Paths that must not be changed without a review.
    pub protected: Vec<String>,
    /// Commands that are exempt from a review.
    pub allow: Vec<gate::Pattern>,
    /// Validity of an approval.
    pub review_expires: Duration,
    /// Maximum size of the ledger's text for the model, in UTF-16 units.
    pub context_max: usize,
    /// Number of fact packets kept.
    pub packets_keep: usize,
    /// The sub-agent types that count as the historian.
    pub historian_agents: Vec<String>,
    /// How often the historian may be continued.
    pub historian_loops: u32,
}

/// Whether the court acts in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enabled {
    /// Yes.
    Yes,
    /// Its hooks are silent.
    No,
}

/// What happens to a tool call if the court itself fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    /// The client's own rules decide.
    Open,
    /// The call is denied.
    Closed,
}

/// The reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewBy {
    /// The historian sub-agent.
    Historian,
    /// Codex through the bridge; the historian if that fails.
    Codex,
}

/// When a review is requested at the end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewWhen {
    /// Never.
    Off,
    /// After a turn that changed something, had a call refused, or used a sub-agent.
    Changes,
    /// After every turn.
    Always,
}

impl ReviewWhen {
    /// The value used in the settings.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Changes => "changes",
            Self::Always => "always",
        }
    }
}

/// What happens to an L2 call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is denied until it is reviewed.
    Deny,
    /// The user is asked.
    Ask,
}

/// Whose approvals are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApproveBy {
    /// The user's, the historian's and Codex's.
    Any,
    /// Only the user's, with a signature.
    User,
}

impl Config {
    /// When a review is requested at the end of a turn, by the kind of user.
    pub fn review_for(&self, audience: Audience) -> ReviewWhen {
        match audience {
            Audience::Person => self.review,
            Audience::Program => self.print_review,
        }
    }

    /// Whether a sub-agent of this type is the historian. The client names a plugin's agents
    /// `PLUGIN:NAME`; a plain `historian` belongs to the project or to another plugin.
    pub fn is_historian(&self, agent_type: &str) -> bool {
        self.historian_agents.iter().any(|name| name == agent_type)
    }
}

#[cfg(test)]
mod tests;
