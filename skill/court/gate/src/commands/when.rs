//! Tests of a command's words. Not here: what applies where one holds (see `acts`).

use super::options::{has, operands, values};
use crate::shell::{Field, Flow, Walker};

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
                let (name, _) = word.text.split_once('=').unwrap_or((&word.text, ""));
                let (_, value) = word.text.rsplit_once('=').unwrap_or_default();
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
