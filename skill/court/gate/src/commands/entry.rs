//! What the table of commands is made of: a command's names, what it does, and examples, which are
//! its tests. Not here: the commands themselves, which stand in the rooms beside this one, and what is followed
//! further (see `acts`).

use super::acts::{Act, Also};
pub(super) use super::acts::{Case, Gives, READS, Said, case};
pub(super) use super::when::{Given, When, lists};
use crate::rules::execution;
use crate::shell::{Field, Flow, Io, Step, Walker};

/// A handler: the words of a command, its name first, to what it writes.
pub(super) type Handler =
    for<'w, 'c, 'f, 'i> fn(&'w mut Walker<'c>, &'f [Field], &'i Io<'i>) -> Step<Flow>;

/// Arguments by level, from L0 to L3: each of the names with these arguments has that level. `{}` stands for the
/// name, where the example does not begin with it.
pub(super) type Examples = [&'static [&'static str]; 4];

const TOLD: &[Also] = &[Also(When::Always, Act::Calls(by_words))];

/// What the words mean to every program.
fn by_words(walker: &mut Walker<'_>, given: &Given<'_>, io: &Io<'_>) -> Step<Flow> {
    walker.unknown_program(given.program(), given.words, io)
}

/// One entry of the table.
#[derive(Clone, Copy)]
pub(super) struct Command {
    pub(super) names: &'static [&'static str],
    pub(super) does: Does,
    pub(super) examples: Examples,
}

/// What a command does.
#[derive(Clone, Copy)]
pub(super) enum Does {
    /// What only code can say.
    Code(Handler),
    /// What its words say.
    Said(Said),
    /// It only reads, whatever it is told.
    Reads,
    /// It is ordinary work, whatever it is told.
    Runs,
}

impl Command {
    pub(super) const fn code(
        names: &'static [&'static str],
        handler: Handler,
        examples: Examples,
    ) -> Self {
        Self { names, does: Does::Code(handler), examples }
    }

    pub(super) const fn cases(
        names: &'static [&'static str],
        valued: &'static [&'static str],
        cases: &'static [&'static [Case]],
        examples: Examples,
    ) -> Self {
        Self { names, does: Does::Said(Said::cases(valued, cases)), examples }
    }

    /// By its cases, and by what its words mean to every program (see `unknown`).
    pub(super) const fn told(
        names: &'static [&'static str],
        valued: &'static [&'static str],
        cases: &'static [&'static [Case]],
        examples: Examples,
    ) -> Self {
        Self { names, does: Does::Said(Said::cases(valued, cases).also(TOLD)), examples }
    }

    pub(super) const fn said(
        names: &'static [&'static str],
        said: Said,
        examples: Examples,
    ) -> Self {
        Self { names, does: Does::Said(said), examples }
    }

    pub(super) const fn reads(names: &'static [&'static str], examples: Examples) -> Self {
        Self { names, does: Does::Reads, examples }
    }

    pub(super) const fn runs(names: &'static [&'static str], examples: Examples) -> Self {
        Self { names, does: Does::Runs, examples }
    }

    /// Notes what the command does; gives what it writes.
    pub(super) fn run(&self, walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        match &self.does {
            Does::Code(handler) => handler(walker, words, io),
            Does::Said(said) => said.run(walker, words, io),
            Does::Reads => Ok(Flow::unknown()),
            Does::Runs => {
                walker.found(&execution::COMMAND, crate::path::name(&words[0].text));
                Ok(Flow::unknown())
            }
        }
    }
}
