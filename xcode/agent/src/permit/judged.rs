//! The verdict on a call, and the message to the model about a denial. Not here: the decision (see `verdict`).

use contract::xc::{CallLevel, DecidedBy, Verdict};

/// The decision on a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it runs.
    pub verdict: Verdict,
    /// Its level of danger, by the gate.
    pub level: CallLevel,
    /// The rule that decided: a gate rule's name, or a configured rule as written.
    pub rule: Option<String>,
    /// Who decided; for a question, who requires it.
    pub by: DecidedBy,
    /// The reasons for its level, one per line, the most severe first. Cleaned and with secrets masked.
    pub reasons: Vec<String>,
    /// Whether a question may be answered for the rest of the session.
    pub is_grantable: bool,
}

impl Judged {
    /// The message to the model about a denied call: who denied it, and why. If the user was asked and said no, only
    /// that.
    #[must_use]
    pub fn denial(&self) -> String {
        let mut text = "Permission denied by user.".to_owned();
        if self.verdict != Verdict::Deny {
            return text;
        }
        let why = match self.by {
            DecidedBy::Plan => "Plan mode is active.",
            DecidedBy::Headless => "No user is present to be asked.",
            DecidedBy::Manifest => "The manifest of the court does not allow it.",
            DecidedBy::Rule | DecidedBy::User | DecidedBy::Grant | DecidedBy::Trust => "",
        };
        if !why.is_empty() {
            text.push(' ');
            text.push_str(why);
        }
        if matches!(self.by, DecidedBy::Rule | DecidedBy::Manifest)
            && let Some(rule) = &self.rule
        {
            text.push_str(&format!(" Rule: {rule}."));
        }
        for reason in &self.reasons {
            text.push('\n');
            text.push_str(reason);
        }
        text
    }
}
