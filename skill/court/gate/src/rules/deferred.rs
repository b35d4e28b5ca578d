//! What happens later, unseen.

use super::rule::Rule;

pub(crate) const SCHEDULE: Rule =
    Rule::l2("deferred.schedule", "Something is scheduled to run later, unseen.");
pub(crate) const BACKGROUND: Rule =
    Rule::l1("deferred.background", "Something goes on in the background.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[&SCHEDULE, &BACKGROUND];
