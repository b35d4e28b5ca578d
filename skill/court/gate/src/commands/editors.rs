//! Editors that take no code of their own: the settings that they are told to read, and the orders that they are given.
//! Not here: editors with a language (see `interpreters`), and what they are to write (see `outputs`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{self, Always, Value};
use super::entry::{Case, Command, Given, Said};
use super::options::values;
use super::words::words;
use crate::rules::{environment, execution};
use crate::shell::{Field, Flow, Io, Step, Walker};

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

/// Settings that are made by the same call.
const MADE: When = Value(SETTINGS, "/dev/fd/*");

const SETTINGS: &[&str] = words!("-c --config --config-dir -config-dir --user-config");
const ORDERS: &[&str] = words!("-command --command -e -E -f");

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("nano pico rnano"),
        words!("-s --speller -T -Y --syntax -r -C -J -Q -X"),
        &[&[Case(Value(&["-s", "--speller"], "*"), &environment::HELPER)], OTHER],
        [&[], &["a.md", "+3 a.md"], &["--speller=/srv/x a.md", "-s x a.md"], &[]],
    ),
    Command::said(
        words!("hx helix zed lapce"),
        Said::cases(
            words!("-c --config --log"),
            &[&[Case(MADE, &execution::UNREADABLE_CODE)], OTHER],
        )
        .also(&[Also(Always, Act::Stray(Pick::Values(SETTINGS)))]),
        [
            &[],
            &["--health rust", "a.md", "-c .helix/config.toml a.md"],
            &["-c /tmp/x.toml a.md", "-c /dev/fd/63 a.md"],
            &[],
        ],
    ),
    Command::said(
        words!("micro kak subl"),
        Said::cases(words!("-command --command -e -E -f -c -s"), &[OTHER]).also(&[
            Also(Always, Act::Stray(Pick::Values(SETTINGS))),
            Also(Always, Act::Code("vim", Pick::Values(ORDERS))),
            Also(Always, Act::Calls(orders)),
        ]),
        [&[], &["a.md", "-e write"], &["-e 'run rm -rf /srv/data' a.md", "-f %d a.md"], &[]],
    ),
];

/// What stands behind the verb of an order, and the texts in it, are followed as commands.
fn orders(walker: &mut Walker<'_>, given: &Given<'_>, _io: &Io<'_>) -> Step<Flow> {
    let told: Vec<Field> = values(given.words, ORDERS).map(Field::new).collect();
    for order in told {
        let inner = order.text.replace("%sh{", "\n").replace(['}', '{'], "\n");
        for line in inner.lines() {
            walker.try_shell(line.trim())?;
            if let Some((_, rest)) = line.trim().split_once(' ') {
                walker.try_shell(rest)?;
            }
        }
        for text in super::literals::literals(&order.text, "text") {
            walker.try_shell(&text)?;
        }
    }
    Ok(Flow::unknown())
}
