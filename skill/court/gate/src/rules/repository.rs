//! What happens to a repository.

use super::rule::Rule;

pub(crate) const GIT: Rule =
    Rule::l1("git.change", "The repository is changed in a way that can be undone.");
pub(crate) const GIT_REWRITE_REMOTE: Rule =
    Rule::l2("git.rewrite-remote", "A remote branch is overwritten or deleted.");
pub(crate) const GIT_DISCARD: Rule =
    Rule::l2("git.discard", "Work that is not committed is thrown away.");
pub(crate) const GIT_SWEEP: Rule = Rule::l2(
    "git.sweep",
    "Files that git does not track are moved away, settings and records among them.",
);
pub(crate) const GIT_LOSE: Rule = Rule::l2("git.lose", "Commits, branches or stashes may be lost.");
pub(crate) const GIT_EXECUTES: Rule =
    Rule::l2("git.executes", "A git option or setting executes a program.");
pub(crate) const GIT_SETTINGS: Rule =
    Rule::l2("git.settings", "A git setting changes what git executes or where it sends work.");

pub(crate) const GIT_SECRET: Rule =
    Rule::l2("git.secret", "A file with a secret goes into the history, and to all who fetch it.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[
    &GIT,
    &GIT_REWRITE_REMOTE,
    &GIT_DISCARD,
    &GIT_SWEEP,
    &GIT_LOSE,
    &GIT_EXECUTES,
    &GIT_SETTINGS,
    &GIT_SECRET,
];
