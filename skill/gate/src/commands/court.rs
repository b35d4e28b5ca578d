//! The court's own program: what it decides is the user's to ask for. Absent: who may look.

use super::options::operands;
use super::{Handler, Walker};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, UNKNOWN};

/// What grants something, or changes who may.
const DECIDES: &[&str] = &["accept", "approve", "approver", "hook", "init", "phase", "resolve"];

pub(super) fn handler(name: &str) -> Option<Handler> {
    (name == "court").then_some(court as Handler)
}

fn court(walker: &mut Walker<'_>, words: &[Field], _io: &Io<'_>) -> Step<Flow> {
    let rest = operands(words, &[]);
    let verb = rest.first().map_or("", |word| word.text.as_str());
    // The phase, and who approves, may be looked at.
    let looks = matches!(verb, "phase" | "approver") && rest.len() == 1;
    let decides = DECIDES.contains(&verb) && !looks || verb.contains(UNKNOWN);
    walker.found(if decides { &execution::COURT } else { &execution::COMMAND }, "court");
    Ok(Flow::unknown())
}
