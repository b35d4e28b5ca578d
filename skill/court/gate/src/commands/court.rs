//! The court's own program: what it decides is the user's to ask for. Absent: who may look.

use super::entry::Command;
use super::options::operands;
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN, Walker};

/// What grants something, or changes who may.
const DECIDES: &[&str] = &["accept", "approve", "approver", "hook", "init", "phase", "resolve"];

pub(super) const COMMANDS: &[Command] =
    &[Command::code(words!("court"), court, [&[], &["status"], &[], &["approve 1"]])];

fn court(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest: Vec<&str> = operands(words, &[]).iter().map(|word| word.text.as_str()).collect();
    let verb = rest.iter().position(|word| DECIDES.contains(word));
    // The phase, and who approves, may be looked at.
    let looks =
        verb.is_some_and(|at| matches!(rest[at], "phase" | "approver") && rest.len() == at + 1);
    let open = rest.first().is_some_and(|word| word.contains(UNKNOWN));
    let decides = verb.is_some_and(|at| at < 3) && !looks || open;
    walker.found(if decides { &execution::COURT } else { &execution::COMMAND }, "court");
    Ok(Flow::unknown())
}
