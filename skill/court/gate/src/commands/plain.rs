//! Programs of which there is nothing more to say than that they only read, or that they are ordinary work.

use super::entry::{Command, Gives, Said};
use super::tables::{ORDINARY, READ_ONLY};
use super::words::words;

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!(": true false"),
        Said::cases(&[], &[]).gives(Gives::Nothing),
        [&["README.md", ""], &[], &[], &[]],
    ),
    Command::reads(READ_ONLY, [&["README.md", "--version"], &[], &[], &[]]),
    Command::runs(ORDINARY, [&[], &["--version", "src/a.x rm -rf /"], &[], &[]]),
];
