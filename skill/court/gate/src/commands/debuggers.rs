//! What reaches into a process that runs: tools that put code into it, and debuggers that are attached to it. A look
//! (a backtrace, a list of threads) is ordinary work. Not here: what else the orders of a debugger do (see `effects`).

use super::entry::When::{Always, Any, Not, Operand, Operands, Word};
use super::entry::{Case, Command};
use super::options::value;
use super::words::words;
use crate::rules::{execution, secrets};
use crate::shell::{Field, Walker};

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

const ASKS: &[Case] =
    &[Case(Any(&[Not(&Operands(1)), Word("--help --version")]), &execution::COMMAND)];

pub(super) const COMMANDS: &[Command] = &[
    Command::cases(
        words!("reptyr pyrasite pyrasite-shell frida frida-trace frida-inject injcode objection"),
        words!("-p -n -l"),
        &[&[
            Case(Word("--help --version"), &execution::COMMAND),
            Case(Always, &execution::INJECTS),
        ]],
        [&[], &["--version"], &["4242", "-p 4242"], &[]],
    ),
    Command::cases(
        words!("jcmd"),
        &[],
        &[
            &[Case(
                Operand(
                    9,
                    "JVMTI.agent_load ManagementAgent.start* VM.set_flag Compiler.directives_add",
                ),
                &execution::INJECTS,
            )],
            OTHER,
        ],
        [&[], &["4242 Thread.print", "-l"], &["4242 JVMTI.agent_load /srv/a.so"], &[]],
    ),
    Command::cases(
        words!("jattach"),
        &[],
        &[ASKS, &[Case(Operand(9, "load setflag"), &execution::INJECTS)], OTHER],
        [&[], &["4242 threaddump", ""], &["4242 load instrument false a.jar"], &[]],
    ),
];

/// Orders of a debugger that call or change what they are attached to.
const CHANGES: &[&str] = &["jump ", "return ", "inject", "compile ", "set var"];

/// Orders with an expression, which looks, calls or changes.
const EXPRESSIONS: &[&str] =
    &["print ", "p ", "output ", "printf ", "call ", "expr ", "expression ", "po ", "set "];

/// Orders that write all of a process's memory to a file.
const DUMPS: &[&str] = &["generate-core-file", "gcore", "dump memory", "process save-core"];

impl Walker<'_> {
    /// Notes what orders do to a process that a debugger is attached to.
    pub(super) fn attached(&mut self, words: &[Field], orders: &[Field]) {
        let target = value(words, &["-p", "--pid", "-pid", "--attach-pid", "-n", "--attach-name"]);
        let named = orders.iter().any(|order| order.text.trim_start().starts_with("attach "));
        if target.is_none() && !named {
            return;
        }
        for order in orders.iter().flat_map(|order| order.text.lines()) {
            let order = order.trim_start();
            let begins = |table: &[&str]| table.iter().any(|head| order.starts_with(head));
            // `print f(1)` calls, `print x` looks, `set pagination off` is a setting of the debugger's own.
            let told = EXPRESSIONS.iter().find_map(|head| order.strip_prefix(head));
            let acts = |told: &str| calls(told) || told.replace("==", "").contains('=');
            if begins(CHANGES) || told.is_some_and(acts) {
                self.found(&execution::INJECTS, order);
            }
            if begins(DUMPS) {
                self.found(&secrets::SHOW, order);
            }
        }
    }
}

/// Whether an expression calls a function: a name stands right before a bracket.
fn calls(expression: &str) -> bool {
    expression.match_indices('(').any(|(at, _)| {
        expression[..at].ends_with(|each: char| each.is_alphanumeric() || matches!(each, '_' | ')'))
            && !expression[..at].ends_with("sizeof")
    })
}
