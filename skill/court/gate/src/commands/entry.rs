//! What the table of commands is made of: a command's names, what its words say of it, and examples, which are
//! its tests. Absent: the commands themselves, which stand in the rooms beside this one, and what is followed
//! further (see `acts`).

use super::acts::Also;
use super::options::{has, operands, values};
use crate::level::Level;
use crate::rules::{Rule, execution};
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
    /// What its words say.
    Said(Said),
    /// It only reads, whatever it is told.
    Reads,
    /// It is ordinary work, whatever it is told.
    Runs,
}

/// What a command's words say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said {
    /// Options that take the next word.
    pub(super) valued: &'static [&'static str],
    /// The first case that holds applies.
    pub(super) cases: &'static [&'static [Case]],
    /// What is followed further: each that holds, after the case, in this order.
    pub(super) also: &'static [Also],
    /// What the command writes to its output.
    pub(super) gives: Gives,
}

/// What a command writes to its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// What is only known when it runs.
    Unknown,
    Nothing,
    /// What came from a network.
    Network,
    /// What it read.
    Read,
    /// What the commands within it write.
    Inner,
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
    /// One of the words, or of the parts of the input, is in the list, whatever its case.
    Says(&'static str),
    /// One of the words, or what stands before or behind the `=` of one, is in the list.
    Part(&'static str),
    /// There are at least so many operands.
    Operands(usize),
    /// It holds for the options before the first operand.
    Before(&'static When),
    /// What only code can say.
    Test(fn(&Walker<'_>, &Given<'_>) -> bool),
    Not(&'static When),
    All(&'static [When]),
    Any(&'static [When]),
}

/// The words of a command as the cases look at them.
pub(super) struct Given<'w> {
    /// The words of the command, its name first.
    pub(super) words: &'w [Field],
    pub(super) operands: Vec<&'w Field>,
    /// What the command reads.
    pub(super) input: &'w Flow,
}

impl<'w> Given<'w> {
    /// The words of a command, of which the options in `valued` take the next one. A first word with a plus
    /// (`cargo +nightly build`) is an option.
    pub(super) fn new(words: &'w [Field], valued: &[&str], input: &'w Flow) -> Self {
        let mut operands = operands(words, valued);
        operands.retain(|word| !(word.text.starts_with('+') && std::ptr::eq(*word, &words[1])));
        Self { words, operands, input }
    }

    /// The words from an operand on.
    pub(super) fn tail(&self, operand: usize) -> &'w [Field] {
        &self.words[self.position(operand)..]
    }

    /// The words before the first operand.
    pub(super) fn head(&self) -> Self {
        Self { words: &self.words[..self.position(0)], operands: Vec::new(), input: self.input }
    }

    fn position(&self, operand: usize) -> usize {
        let first = self.operands.get(operand);
        let at =
            first.and_then(|first| self.words.iter().position(|word| std::ptr::eq(word, *first)));
        at.unwrap_or(self.words.len())
    }

    /// The program's bare name.
    pub(super) fn program(&self) -> &'w str {
        crate::path::name(&self.words[0].text)
    }

    /// What a finding names: the program with what it is told first.
    pub(super) fn told(&self) -> String {
        let mut told = self.program().to_owned();
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
        Self { names, does: Does::Said(Said::cases(valued, cases)), examples }
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

/// The first case that holds.
pub(super) fn case(
    walker: &Walker<'_>,
    given: &Given<'_>,
    cases: &'static [&'static [Case]],
) -> Option<&'static Case> {
    cases.iter().copied().flatten().find(|Case(when, _)| when.holds(walker, given))
}

impl Said {
    pub(super) const fn cases(
        valued: &'static [&'static str],
        cases: &'static [&'static [Case]],
    ) -> Self {
        Self { valued, cases, also: &[], gives: Gives::Unknown }
    }

    /// The same, and what is followed further.
    pub(super) const fn also(self, also: &'static [Also]) -> Self {
        Self { also, ..self }
    }

    /// The same, with what it writes to its output.
    pub(super) const fn gives(self, gives: Gives) -> Self {
        Self { gives, ..self }
    }

    /// The first case that holds.
    pub(super) fn case(&self, walker: &Walker<'_>, given: &Given<'_>) -> Option<&'static Case> {
        case(walker, given, self.cases)
    }

    /// Notes what a command's words say; gives what the command writes.
    pub(super) fn run(&self, walker: &mut Walker<'_>, words: &[Field], io: &Io<'_>) -> Step<Flow> {
        let given = Given::new(words, self.valued, io.stdin);
        let mut secret = false;
        if let Some(Case(_, rule)) = self.case(walker, &given)
            && rule.level > Level::L0
        {
            walker.found(rule, &given.told());
            secret = rule.id.starts_with("secret.");
        }
        let mut inner = Flow::default();
        for also in self.also.iter().filter(|also| also.0.holds(walker, &given)).collect::<Vec<_>>()
        {
            inner = also.1.follow(walker, &given, io)?;
        }
        let read = |walker: &Walker<'_>| walker.findings.iter().any(|f| f.rule.id == "secret.read");
        let secret = secret || self.gives == Gives::Read && read(walker);
        let taint = Taint { secret, network: self.gives == Gives::Network, ..Taint::default() };
        Ok(match self.gives {
            Gives::Unknown | Gives::Network | Gives::Read => Flow { taint, ..Flow::unknown() },
            Gives::Nothing => Flow::default(),
            Gives::Inner => inner,
        })
    }
}

impl When {
    pub(super) fn holds(&self, walker: &Walker<'_>, given: &Given<'_>) -> bool {
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
            Self::Value(options, list) => values(given.words, options).any(|value| {
                list.split(' ').any(|word| fits(word, value) || word.eq_ignore_ascii_case(value))
            }),
            Self::Says(list) => words
                .iter()
                .map(|word| &word.text)
                .chain([&given.input.text])
                .flat_map(|text| text.split_whitespace())
                .any(|word| lists(list, &word.to_ascii_lowercase())),
            Self::Part(list) => words.iter().any(|word| {
                let (name, value) = word.text.split_once('=').unwrap_or((&word.text, ""));
                lists(list, name) || lists(list, value.trim_matches('"'))
            }),
            Self::Operands(least) => given.operands.len() >= *least,
            Self::Before(when) => when.holds(walker, &given.head()),
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
