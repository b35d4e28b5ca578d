//! What goes over a network.

use super::rule::Rule;

pub(crate) const FETCH: Rule = Rule::l1("network.fetch", "Something is fetched from a network.");
pub(crate) const SEND: Rule = Rule::l2("network.send", "Data is sent to another machine.");
pub(crate) const LOOK: Rule = Rule::l1("network.look", "Another machine is only looked at.");
pub(crate) const REMOTE: Rule =
    Rule::l2("network.remote", "Something is executed on another machine.");
pub(crate) const SHELL: Rule =
    Rule::l2("network.shell", "A shell or a program is connected to a network.");
pub(crate) const EXPOSE: Rule =
    Rule::l2("network.expose", "Files are served to everybody who can reach this machine.");
pub(crate) const LOOKALIKE: Rule =
    Rule::l2("network.lookalike", "The address has letters that look like others.");
pub(crate) const LISTEN: Rule =
    Rule::l2("network.listen", "A raw connection is opened or accepted.");

/// All of this room.
pub(super) const ALL: &[&Rule] =
    &[&FETCH, &SEND, &LOOK, &REMOTE, &SHELL, &EXPOSE, &LOOKALIKE, &LISTEN];
