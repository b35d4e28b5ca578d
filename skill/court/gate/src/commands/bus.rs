//! Calls over the desktop's and the system's message bus: other programs act for the caller there.

use super::Walker;
use super::entry::Command;
use super::options::operands;
use super::words::words;
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step};

pub(super) const COMMANDS: &[Command] = &[Command::code(
    words!("busctl gdbus dbus-send qdbus qdbus6"),
    call,
    [&[], &["list"], &["call a b c d"], &[]],
)];

/// Words of calls that only read.
const READS: &[&str] = words!(
    "list status tree introspect get-property monitor capture wait help --help --version \
     --list"
);

/// Methods that only read.
const GETS: &[&str] =
    &["Introspect", "Get", "GetAll", "ListNames", "NameHasOwner", "Ping", "GetId"];

fn call(walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    if words[0].text.ends_with("dbus-run-session") {
        let at = words
            .iter()
            .skip(1)
            .position(|word| !word.is_option())
            .map_or(words.len(), |at| at + 1);
        return walker.run(words.get(at..).unwrap_or_default(), io);
    }
    let rest = operands(
        words,
        &["--dest", "--object-path", "--method", "--address", "-H", "-M", "-d", "-o"],
    );
    let reads = rest.is_empty() && words.len() < 3
        || words[1..].iter().take(3).any(|word| READS.contains(&word.text.as_str()))
        || words[1..]
            .iter()
            .any(|word| GETS.contains(&word.text.rsplit('.').next().unwrap_or_default()));
    let rule = if reads { &execution::COMMAND } else { &execution::SYSTEM };
    walker.found(rule, &super::options::joined(words));
    Ok(Flow::unknown())
}
