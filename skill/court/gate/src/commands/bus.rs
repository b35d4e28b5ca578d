//! Calls over the desktop's and the system's message bus: other programs act for the caller there.

use super::entry::When::{Always, Any, Not, Operands, Verbs, Word};
use super::entry::{Case, Command};
use super::words::words;
use crate::rules::execution;

pub(super) const COMMANDS: &[Command] = &[Command::cases(
    words!("busctl gdbus dbus-send qdbus qdbus6"),
    words!("--dest --object-path --method --address -H -M -d -o"),
    &[&[
        Case(
            Any(&[
                Not(&Operands(1)),
                Verbs("list|status|tree|introspect|get-property|monitor|capture|wait|help"),
                Word("--help --version --list"),
                // Methods that only read.
                Word(
                    "*.Introspect *.Get *.GetAll *.ListNames *.NameHasOwner *.Ping *.GetId \
                     Introspect Get GetAll ListNames NameHasOwner Ping GetId",
                ),
            ]),
            &execution::COMMAND,
        ),
        Case(Always, &execution::SYSTEM),
    ]],
    [
        &[],
        &[
            "list",
            "--version",
            "--dest=a /a org.freedesktop.DBus.Properties.Get",
            "call a /a b Get",
            "",
        ],
        &["call a b c d", "--system /a org.a.Reboot"],
        &[],
    ],
)];
