//! Commands that multiply: functions that start themselves, and loops without end that start what nobody waits
//! for. Only what runs for certain counts: a call behind a condition may end. Not here: what the commands do.

use std::rc::Rc;

use super::Step;
use super::walk::Walker;
use crate::rules::execution;
use crate::syntax::{Command, Kind, Pace, Part, Script, Simple, Word};

/// A call of a function, and whether it is started beside what goes on.
struct Call {
    name: String,
    spawned: bool,
}

impl Walker<'_> {
    /// A function is defined: whether it, or one that it calls, starts it again and again.
    pub(super) fn defines(&mut self, name: &str, body: &Rc<Command>) -> Step {
        let mut waiting = vec![(name.to_owned(), false)];
        let mut seen: Vec<(String, bool)> = Vec::new();
        while let Some((function, spawned)) = waiting.pop() {
            let known = self.state.functions.get(&function).cloned();
            let body = if function == name { Some(body.clone()) } else { known };
            let Some(body) = body else { continue };
            let mut calls = Vec::new();
            certain(&body, false, &mut calls);
            self.budget.steps(calls.len() + 1)?;
            for call in calls {
                let spawned = spawned || call.spawned;
                if call.name == name && spawned {
                    self.found(&execution::FORK_BOMB, name);
                    return Ok(());
                }
                let next = (call.name, spawned);
                if next.0 != name && !seen.contains(&next) && seen.len() < 64 {
                    seen.push(next.clone());
                    waiting.push(next);
                }
            }
        }
        Ok(())
    }

    /// A loop whose condition is `condition` repeats `body`.
    pub(super) fn repeats(&mut self, condition: &Script, body: &Script) {
        if is_constant(condition) {
            self.spawns(body);
        }
    }

    /// `for ((;;))`: the middle part of the header is the condition.
    pub(super) fn counts(&mut self, header: &Word, body: &Script) {
        let text: String = header.pieces.iter().filter_map(plain).collect();
        let middle = text.split(';').nth(1).map(str::trim);
        if middle.is_some_and(|middle| middle.is_empty() || middle == "1") {
            self.spawns(body);
        }
    }

    fn spawns(&mut self, body: &Script) {
        let starts = body.items.iter().any(|item| {
            item.pace == Pace::Background
                || item.pipelines.iter().any(|pipeline| {
                    matches!(&pipeline.commands[..], [Command { kind: Kind::Subshell(inner) | Kind::Group(inner), .. }]
                        if inner.items.iter().any(|item| item.pace == Pace::Background) && !waits(inner))
                })
        });
        if starts && (names(body, "disown") || !waits(body)) {
            self.found(&execution::ENDLESS, "a loop without end");
        }
    }
}

/// Whether a script has a command of this name that it waits for.
fn names(script: &Script, name: &str) -> bool {
    script.items.iter().filter(|item| item.pace == Pace::Waits).any(|item| {
        matches!(&item.pipelines[0].commands[..], [Command { kind: Kind::Simple(simple), .. }]
            if first_word(simple).as_deref() == Some(name))
    })
}

fn waits(script: &Script) -> bool {
    ["wait", "sleep", "read", "break", "exit", "return", "inotifywait"]
        .into_iter()
        .any(|name| names(script, name))
}

fn plain(piece: &crate::syntax::Piece) -> Option<&str> {
    match &piece.part {
        Part::Text(text) => Some(text),
        _ => None,
    }
}

fn first_word(simple: &Simple) -> Option<String> {
    match &simple.words.first()?.pieces[..] {
        [piece] => plain(piece).map(str::to_owned),
        _ => None,
    }
}

/// The calls of a command that run whenever it does.
fn certain(command: &Command, spawned: bool, calls: &mut Vec<Call>) {
    match &command.kind {
        Kind::Simple(simple) => {
            calls.extend(first_word(simple).map(|name| Call { name, spawned }));
        }
        Kind::Group(script) | Kind::Subshell(script) => {
            for item in script.items.iter().take(64) {
                let Some(pipeline) = item.pipelines.first() else { continue };
                let spawned =
                    spawned || item.pace == Pace::Background || pipeline.commands.len() > 1;
                for command in &pipeline.commands {
                    certain(command, spawned, calls);
                }
            }
        }
        _ => {}
    }
}

/// Whether a condition is always the same.
fn is_constant(condition: &Script) -> bool {
    let [item] = &condition.items[..] else { return false };
    let [pipeline] = &item.pipelines[..] else { return false };
    let [command] = &pipeline.commands[..] else { return false };
    let is_number = |word: &Word| {
        let text: String = word.pieces.iter().filter_map(plain).collect();
        matches!(text.as_str(), "1" | "true" | "yes")
    };
    match &command.kind {
        Kind::Simple(simple) => {
            let Some(name) = first_word(simple) else { return false };
            match crate::path::name(&name) {
                ":" | "true" | "false" => true,
                "[" | "test" => {
                    simple.words.len() <= 3 && simple.words.get(1).is_some_and(is_number)
                }
                _ => false,
            }
        }
        Kind::Test(words) => matches!(&words[..], [word] if is_number(word)),
        Kind::Arithmetic(word) => is_number(word),
        _ => false,
    }
}
