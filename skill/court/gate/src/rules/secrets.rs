//! What must stay secret.

use super::rule::Rule;

pub(crate) const READ: Rule = Rule::l2("secret.read", "A file that holds secrets is read.");
pub(crate) const ENVIRONMENT: Rule =
    Rule::l2("secret.environment", "The environment is shown, and with it the secrets in it.");
pub(crate) const SHOW: Rule = Rule::l2("secret.show", "A secret is shown.");
pub(crate) const HISTORY: Rule =
    Rule::l1("secret.history", "The history of commands is read, and what was typed into it.");
pub(crate) const EXFILTRATE: Rule = Rule::l3("secret.send", "A secret is sent to another machine.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[&READ, &ENVIRONMENT, &SHOW, &HISTORY, &EXFILTRATE];
