//! Programs of which there is nothing more to say than that they only read, or that they are ordinary work.

use super::acts::{Act, Also, Pick};
use super::entry::When::Always;
use super::entry::{Case, Command, Gives, Said};
use super::tables::{ORDINARY, READ_ONLY};
use super::words::words;
use crate::rules::files;

pub(super) const COMMANDS: &[Command] = &[
    Command::said(
        words!(": true false"),
        Said::cases(&[], &[]).gives(Gives::Nothing),
        [&["README.md", ""], &[], &[], &[]],
    ),
    // What is replaced, with what, and the files.
    Command::said(
        words!("sd comby ast-grep fastmod rpl"),
        Said::cases(&[], &[&[Case(Always, &files::WRITE)]])
            .also(&[Also(Always, Act::Writes(Pick::From(2)))]),
        [&[], &["delete_one remove_one src/a.rs"], &["a b ~/.bashrc"], &[]],
    ),
    Command::said(
        words!("grep egrep fgrep"),
        Said::cases(words!("-e -f -m -A -B -C --regexp --file --max-count"), &[])
            .gives(Gives::Lines),
        [&["-n x README.md", "--version"], &[], &[], &[]],
    ),
    Command::said(
        words!("whoami id who users logname"),
        Said::cases(&[], &[]).gives(Gives::Machine),
        [&["", "--version"], &[], &[], &[]],
    ),
    Command::reads(READ_ONLY, [&["README.md", "--version"], &[], &[], &[]]),
    Command::runs(ORDINARY, [&[], &["--version", "src/a.x rm -rf /"], &[], &[]]),
];
