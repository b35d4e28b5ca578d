//! What is executed, and what cannot be seen of it.

use super::rule::Rule;

pub(crate) const COMMAND: Rule =
    Rule::l1("command.other", "A program runs that is not known to be read-only.");
pub(crate) const UNKNOWN_COMMAND: Rule =
    Rule::l2("command.unknown", "The name of the command is only known when it runs.");
pub(crate) const LOOKS_WRAPPED: Rule =
    Rule::l2("command.wrapped", "A program is given what looks like a dangerous command.");
pub(crate) const HIDDEN: Rule = Rule::l2(
    "command.hidden",
    "The command has characters that are not seen, or turn the text around.",
);
pub(crate) const OPAQUE: Rule = Rule::l2(
    "command.opaque",
    "The command is not understood, so nothing is known of what it does.",
);
pub(crate) const UNREADABLE_CODE: Rule =
    Rule::l2("code.unreadable", "Code is executed that is only known when it runs.");
pub(crate) const CODE: Rule = Rule::l1("code.inline", "Code is executed in an interpreter.");
pub(crate) const CODE_DESTROYS: Rule =
    Rule::l2("code.destroys", "Code deletes or overwrites files.");
pub(crate) const CODE_EXECUTES: Rule =
    Rule::l2("code.executes", "Code starts a program that cannot be seen or is dangerous.");
pub(crate) const CODE_NETWORK: Rule =
    Rule::l2("code.network", "Code fetches something and executes it, or sends data away.");
pub(crate) const SCRIPT: Rule =
    Rule::l1("script.run", "A script runs whose text is not known here.");
pub(crate) const STRAY_SCRIPT: Rule = Rule::l2(
    "script.stray",
    "A script runs that lies in a temporary or download folder, and nothing is known of it.",
);
pub(crate) const WRITTEN_SCRIPT: Rule = Rule::l2(
    "script.written",
    "A file that this session wrote is executed, and what it does needs a review.",
);
pub(crate) const FETCHED_SCRIPT: Rule =
    Rule::l2("script.fetched", "Something fetched from the network is executed.");
pub(crate) const FETCHED_AS_ROOT: Rule =
    Rule::l3("script.fetched-as-root", "Something fetched from the network is executed as root.");
pub(crate) const PRIVILEGE: Rule = Rule::l1("command.privilege", "A command runs as another user.");
pub(crate) const ROOT_SHELL: Rule =
    Rule::l2("command.root-shell", "A shell of another user is opened: what it does is not seen.");
pub(crate) const PROCESS: Rule = Rule::l1("process.signal", "A process is ended.");
pub(crate) const PROCESS_ALL: Rule = Rule::l2("process.all", "Many or all processes are ended.");
pub(crate) const FORK_BOMB: Rule =
    Rule::l3("process.fork-bomb", "The command multiplies without end.");
pub(crate) const COURT: Rule = Rule::l3(
    "court.decide",
    "What the court grants is for the user to ask for, at a terminal of their own.",
);
pub(crate) const APPROVES: Rule =
    Rule::l2("command.approves", "Something is approved that waits for a person's yes.");
pub(crate) const TYPES: Rule = Rule::l2(
    "command.types",
    "Keys or text are typed into another terminal or window, as if a person did.",
);
pub(crate) const UNGUARDED: Rule = Rule::l2(
    "command.unguarded",
    "Another agent is started without its guards, or its guards are changed.",
);
pub(crate) const GUARD_OFF: Rule =
    Rule::l2("command.guard-off", "A check or a protection is switched off.");
pub(crate) const ENDLESS: Rule =
    Rule::l2("process.endless", "A loop without end starts processes, and nothing waits for them.");
pub(crate) const INJECTS: Rule =
    Rule::l2("process.inject", "Code or values are put into a process that runs.");
pub(crate) const SYSTEM: Rule =
    Rule::l2("system.change", "The system, its services or its users are changed.");

/// All of this room.
pub(super) const ALL: &[&Rule] = &[
    &COMMAND,
    &UNKNOWN_COMMAND,
    &LOOKS_WRAPPED,
    &HIDDEN,
    &OPAQUE,
    &UNREADABLE_CODE,
    &CODE,
    &CODE_DESTROYS,
    &CODE_EXECUTES,
    &CODE_NETWORK,
    &SCRIPT,
    &STRAY_SCRIPT,
    &WRITTEN_SCRIPT,
    &FETCHED_SCRIPT,
    &FETCHED_AS_ROOT,
    &PRIVILEGE,
    &ROOT_SHELL,
    &PROCESS,
    &PROCESS_ALL,
    &FORK_BOMB,
    &COURT,
    &APPROVES,
    &TYPES,
    &UNGUARDED,
    &GUARD_OFF,
    &ENDLESS,
    &INJECTS,
    &SYSTEM,
];
