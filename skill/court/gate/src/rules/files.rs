//! What happens to files.

use super::rule::Rule;

pub(crate) const DELETE: Rule =
    Rule::l1("files.delete", "A file that can be made or restored again is deleted.");
pub(crate) const DELETE_FORCED: Rule =
    Rule::l1("files.delete-forced", "A file is deleted by force, whatever is in it.");
pub(crate) const DELETE_TREE: Rule =
    Rule::l2("files.delete-tree", "A folder with work in it is deleted for good.");
pub(crate) const DELETE_OUTSIDE: Rule =
    Rule::l2("files.delete-outside", "Something outside the project is deleted.");
pub(crate) const DELETE_UNKNOWN: Rule =
    Rule::l2("files.delete-unknown", "What is deleted is only known when it runs.");
pub(crate) const DELETE_ALL: Rule =
    Rule::l3("files.delete-everything", "The system, or the whole home folder, is deleted.");
pub(crate) const WRITE: Rule = Rule::l1("files.write", "A file is written.");
pub(crate) const BACKDATE: Rule =
    Rule::l1("files.backdate", "A file is given another time than that of its change.");
pub(crate) const WRITE_OUTSIDE: Rule =
    Rule::l2("files.write-outside", "Something outside the project is written.");
pub(crate) const WRITE_WIRING: Rule = Rule::l2(
    "files.write-wiring",
    "Settings, hooks or start-up files change what happens later, unseen.",
);
pub(crate) const WRITE_COURT: Rule = Rule::l3(
    "files.write-court",
    "The records and settings of the court are not changed by those it watches.",
);
pub(crate) const LINK_WIRING: Rule = Rule::l2(
    "files.link-wiring",
    "Another name is made for settings, hooks or start-up files: what is written there is not seen.",
);
pub(crate) const EMPTY: Rule = Rule::l2("files.empty", "A file is emptied: its content is lost.");
pub(crate) const MOVE_AWAY: Rule =
    Rule::l2("files.move-away", "Work is moved to where it is lost or not expected.");
pub(crate) const DISK: Rule = Rule::l3("files.disk", "A disk is written directly or made anew.");
pub(crate) const MODE: Rule = Rule::l2("files.mode", "Owners or permissions are changed widely.");
pub(crate) const SECURE_ERASE: Rule =
    Rule::l2("files.erase", "Data is overwritten so that it cannot be restored.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[
    &DELETE,
    &DELETE_FORCED,
    &DELETE_TREE,
    &DELETE_OUTSIDE,
    &DELETE_UNKNOWN,
    &DELETE_ALL,
    &WRITE,
    &BACKDATE,
    &WRITE_OUTSIDE,
    &WRITE_WIRING,
    &WRITE_COURT,
    &LINK_WIRING,
    &EMPTY,
    &MOVE_AWAY,
    &DISK,
    &MODE,
    &SECURE_ERASE,
];
