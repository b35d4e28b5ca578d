//! What the table of commands is made of: a command's names, what it does by its words, and examples, which are
//! its tests. Absent: the commands themselves, which stand in the rooms beside this one.

use super::options::{has, operands, value};
use crate::level::Level;
use crate::rules::Rule;
use crate::shell::{Field, Flow, Io, Step, Taint, Walker};

/// A handler: the words of a command, its name first, to what it writes.
pub(super) type Handler =
    for<'w, 'c, 'f, 'i> fn(&'w mut Walker<'c>, &'f [Field], &'i Io<'i>) -> Step<Flow>;

/// Arguments by level, from L0 to L3: each of the names with these arguments has that level. `{}` stands for the
/// name, where the example does not begin with it.
pub(super) type Examples = [&'static [&'static str]; 4];

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
    /// What its words say: the first case that holds applies. Options in `valued` take the next word.
    Cases { valued: &'static [&'static str], cases: &'static [&'static [Case]] },
}

/// What applies when.
#[derive(Debug)]
pub(super) struct Case(pub(super) When, pub(super) &'static Rule);

/// The rule of what only reads: nothing is said.
pub(super) const READS: &Rule = &Rule { id: "command.read", level: Level::L0, why: "It reads." };

/// A test of a command's words.
///
/// Lists are texts: words apart by blanks, of which one must be there. A `*` at an end of a word stands for any text.
#[derive(Debug)]
pub(super) enum When {
    Always,
    /// The operands begin so: `state list|show, workspace delete`. A `*` alone is any operand.
    Verbs(&'static str),
    /// One of so many first operands is in the list.
    Operand(usize, &'static str),
    /// One of the words, options too, is in the list.
    Word(&'static str),
    /// A short or a long option is given; a blank where there is no short one.
    Option(char, &'static str),
    /// One of the options is given a value that is in the list, whatever its case.
    Value(&'static [&'static str], &'static str),
    /// There are at least so many operands.
    Operands(usize),
    /// What only code can say.
    Test(fn(&Walker<'_>, &Given<'_>) -> bool),
    Not(&'static When),
    All(&'static [When]),
    Any(&'static [When]),
}

/// The words of a command as the cases look at them.
pub(super) struct Given<'w> {
    pub(super) words: &'w [Field],
    pub(super) operands: Vec<&'w Field>,
}

impl Given<'_> {
    /// What a finding names: the program with what it is told first.
    fn told(&self) -> String {
        let mut told = crate::path::name(&self.words[0].text).to_owned();
        for word in self.operands.iter().take(3) {
            told.push(' ');
            told.push_str(&word.text);
        }
        told.replace(crate::shell::UNKNOWN, "?")
    }
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
        Self { names, does: Does::Cases { valued, cases }, examples }
    }

    /// Notes what the command does; gives what it writes.
    pub(super) fn run(&self, walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        let (valued, cases) = match self.does {
            Does::Code(handler) => return handler(walker, words, io),
            Does::Cases { valued, cases } => (valued, cases),
        };
        Ok(judged(walker, words, valued, cases))
    }
}

/// The first case that holds.
pub(super) fn case(
    walker: &Walker<'_>,
    given: &Given<'_>,
    cases: &'static [&'static [Case]],
) -> Option<&'static Case> {
    cases.iter().copied().flatten().find(|Case(when, _)| when.holds(walker, given))
}

/// Notes what the cases say of a command's words; gives what the command writes.
pub(super) fn judged(
    walker: &mut Walker<'_>,
    words: &[Field],
    valued: &[&str],
    cases: &'static [&'static [Case]],
) -> Flow {
    let given = Given { words, operands: operands(words, valued) };
    let mut flow = Flow::unknown();
    if let Some(Case(_, rule)) = case(walker, &given, cases)
        && rule.level > Level::L0
    {
        walker.found(rule, &given.told());
        flow.taint = Taint { secret: rule.id.starts_with("secret."), ..Taint::default() };
    }
    flow
}

impl When {
    fn holds(&self, walker: &Walker<'_>, given: &Given<'_>) -> bool {
        let words = &given.words[1..];
        match self {
            Self::Always => true,
            Self::Verbs(forms) => forms.split(", ").any(|form| {
                form.split(' ').enumerate().all(|(index, verbs)| {
                    let word = given.operands.get(index);
                    word.is_some_and(|word| verbs.split('|').any(|verb| fits(verb, &word.text)))
                })
            }),
            Self::Operand(first, list) => {
                given.operands.iter().take(*first).any(|word| lists(list, &word.text))
            }
            Self::Word(list) => words.iter().any(|word| lists(list, &word.text)),
            Self::Option(short, long) => has(given.words, *short, long),
            Self::Value(options, list) => value(given.words, options).is_some_and(|value| {
                list.split(' ').any(|word| fits(word, value) || word.eq_ignore_ascii_case(value))
            }),
            Self::Operands(least) => given.operands.len() >= *least,
            Self::Test(test) => test(walker, given),
            Self::Not(when) => !when.holds(walker, given),
            Self::All(all) => all.iter().all(|when| when.holds(walker, given)),
            Self::Any(any) => any.iter().any(|when| when.holds(walker, given)),
        }
    }
}

/// Whether a word is in a list.
pub(super) fn lists(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| fits(listed, word))
}

/// Whether a word is as listed: `*` at an end stands for any text.
fn fits(listed: &str, word: &str) -> bool {
    match (listed.strip_prefix('*'), listed.strip_suffix('*')) {
        (None, None) => listed == word,
        (None, Some(head)) => word.starts_with(head),
        (Some(tail), None) => word.ends_with(tail),
        (Some(_), Some(_)) => word.contains(listed.trim_matches('*')),
    }
}
