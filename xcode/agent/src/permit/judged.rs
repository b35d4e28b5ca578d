//! The verdict on a call, and what the model is told of a denial. Absent: how it comes about (see `verdict`).

use contract::xc::{CallLevel, DecidedBy, Verdict};

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Whether it runs.
    pub verdict: Verdict,
    /// How dangerous it is, as the gate sees it.
    pub level: CallLevel,
    /// The rule that decided: the gate's by its name, one of the configuration as it is written there.
    pub rule: Option<String>,
    /// Who decided; for a question, who asks.
    pub by: DecidedBy,
    /// Why it has its level, a line each, the gravest first. Cleaned and without what looks like a secret.
    pub reasons: Vec<String>,
    /// A question may be answered for the rest of the session.
    pub is_grantable: bool,
}

impl Judged {
    /// What the model is told of a call that was denied: by whom, and why. Where the user was asked and said no, that
    /// is all.
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
