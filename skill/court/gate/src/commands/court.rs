//! The court's own program: what it decides is the user's to ask for. Not here: who may look.

use super::entry::When::{All, Always, Any, Not, Operand, Operands, Verbs};
use super::entry::{Case, Command};
use super::words::words;
use crate::rules::execution;

/// What grants something, or changes who may.
const DECIDES: &str = "accept approve approver hook init phase refuse resolve";

pub(super) const COMMANDS: &[Command] = &[Command::cases(
    words!("court"),
    &[],
    &[&[
        // The phase, and who approves, may be looked at.
        Case(
            Any(&[
                All(&[Verbs("phase|approver"), Not(&Operands(2))]),
                All(&[
                    Verbs("* phase|approver"),
                    Not(&Operand(1, DECIDES)),
                    Not(&Verbs("*\u{e000}*")),
                    Not(&Operands(3)),
                ]),
            ]),
            &execution::COMMAND,
        ),
        Case(Any(&[Operand(3, DECIDES), Verbs("*\u{e000}*")]), &execution::COURT),
        Case(Always, &execution::COMMAND),
    ]],
    [
        &[],
        &["status", "phase", "--at x approver"],
        &[],
        &["approve 1", "refuse 1", "phase strict", "phase approver", "x phase y", "\u{e000} phase"],
    ],
)];
