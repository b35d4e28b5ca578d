//! What a command's words say: which rule applies, and what is followed further: paths that are written, texts for a
//! shell, commands within the command, packages. Not here: the tests of words (see `when`).

use super::options::{has, joined, value, values};
use super::when::{Given, When, lists};
use crate::level::Level;
use crate::path::absolute;
use crate::rules::{Rule, execution};
use crate::shell::{Field, Flow, Io, Mode, Step, Taint, UNKNOWN, Walker};

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
    /// Lines that it reads, or some of them.
    Lines,
    /// Who one is, and on which machine.
    Machine,
    /// What the commands within it write.
    Inner,
}

/// What applies when.
#[derive(Debug)]
pub(super) struct Case(pub(super) When, pub(super) &'static Rule);

/// The rule of what only reads: nothing is said.
pub(super) const READS: &Rule = &Rule { id: "command.read", level: Level::L0, why: "It reads." };

/// What is followed when.
#[derive(Debug)]
pub(super) struct Also(pub(super) When, pub(super) Act);

/// How words of a command are followed.
#[derive(Debug)]
pub(super) enum Act {
    /// The rule applies, too.
    Finds(&'static Rule),
    /// Paths that are read: one that holds a secret counts.
    Reads(Pick),
    /// Paths that are written.
    Writes(Pick),
    /// Paths that are written with what comes from a network.
    Fetched(Pick),
    /// Paths that are made, new and empty.
    Makes(Pick),
    /// Paths that are emptied.
    Empties(Pick),
    /// Paths that are deleted.
    Deletes(Pick, Reach),
    /// Paths that are overwritten so that nothing of them is left.
    Erases(Pick),
    /// Paths that get another name.
    Renames(Pick),
    /// A folder, the working one if none is told, in which archives are unpacked.
    Unpacks(Pick, Pick),
    /// Texts that are given to a shell.
    Shell(Pick),
    /// Code of a language.
    Code(&'static str, Pick),
    /// A command within the command.
    Command(Pick),
    /// The same, where its program is named by its package: `tsc@5`, `@scope/tool`.
    Tool(Pick),
    /// Scripts that a program executes.
    Script(&'static str, Pick),
    /// Files and folders that say what is executed: where anybody may have put them, that counts.
    Stray(Pick),
    /// A command that acts elsewhere, on what lives on: the first rule applies where it only looks there, else the
    /// second.
    There(Pick, &'static Rule, &'static Rule),
    /// Packages that are fetched and executed.
    Fetches(Pick),
    /// Packages that are installed: their programs count as foreign where the same call runs them.
    Installs(Pick),
    /// The words from this operand on are as the words of a command of their own.
    Verb(usize, &'static Said),
    /// What only code can say.
    Calls(fn(&mut Walker<'_>, &Given<'_>, &Io<'_>) -> Step<Flow>),
}

/// Some words of a command.
#[derive(Debug)]
pub(super) enum Pick {
    /// The values of options, each time that one is given.
    Values(&'static [&'static str]),
    /// The same of an option that may also be the last of several letters: `-xzf a.tar`.
    Letter(char, &'static [&'static str]),
    /// The word behind the first one, if that is letters without a dash and has this one: `xzf a.tar`.
    Bare(char),
    /// The words of both.
    Both(&'static Pick, &'static Pick),
    /// The words of the first, or else of the second.
    First(&'static Pick, &'static Pick),
    /// The names of the files at the addresses that are operands, in the folder that an option names.
    Downloads(&'static [&'static str]),
    /// The values of options that are settings: what stands behind the `=` of each.
    Settings(&'static [&'static str]),
    /// The operand of this number, from 0 on.
    Nth(usize),
    /// The operands from this number on; of a command within the command, all words from there on.
    From(usize),
    /// The last of two operands or more.
    Last,
    /// The operands that are in the list.
    Like(&'static str),
    /// What is meant by the options before the first operand.
    Before(&'static Pick),
    /// All words behind this one.
    Behind(&'static str),
    /// What the command reads.
    Input,
}

/// How much is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    File,
    /// Files, whatever they are, without a question.
    Forced,
    Tree,
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
        if let Some(Case(when, rule)) = self.case(walker, &given)
            && rule.level > Level::L0
        {
            walker.found(rule, &given.told());
            // The entry says nothing of these words: what holds for every program does.
            if matches!(when, When::Always) && rule.id == execution::COMMAND.id {
                walker.untold(given.program(), words);
            }
            secret = rule.id.starts_with("secret.");
        }
        let mut inner = Flow::default();
        for also in self.also.iter().filter(|also| also.0.holds(walker, &given)).collect::<Vec<_>>()
        {
            inner = also.1.follow(walker, &given, io)?;
        }
        let read = |walker: &Walker<'_>| walker.findings.iter().any(|f| f.rule.id == "secret.read");
        let secret = secret || self.gives == Gives::Read && read(walker);
        let taint = Taint {
            secret,
            network: self.gives == Gives::Network,
            outside: self.gives == Gives::Machine,
        };
        Ok(match self.gives {
            Gives::Lines => some_lines(&given),
            Gives::Unknown | Gives::Network | Gives::Read | Gives::Machine => {
                Flow { taint, ..Flow::unknown() }
            }
            Gives::Nothing => Flow::default(),
            Gives::Inner => inner,
        })
    }
}

/// What a search gives of its input: all of it is judged, though less may come out.
fn some_lines(given: &Given<'_>) -> Flow {
    let words = given.words;
    let named = value(words, &["-e", "--regexp", "-f", "--file"]).is_some();
    let reads = given.operands.len() <= usize::from(!named);
    let other = ['c', 'q', 'l', 'L', 'o', 'r', 'R'].iter().any(|letter| has(words, *letter, ""))
        || ["count", "quiet", "files-with-matches", "only-matching", "recursive"]
            .iter()
            .any(|long| has(words, ' ', long));
    let text = if reads && !other { given.input.text.clone() } else { UNKNOWN.to_string() };
    Flow { text, taint: if reads { given.input.taint } else { Taint::default() } }
}

impl Pick {
    /// The words that are meant.
    pub(super) fn of(&self, given: &Given<'_>) -> Vec<Field> {
        let operands = &given.operands;
        let some = |from: usize, to: usize| {
            operands.get(from..to).unwrap_or_default().iter().map(|word| (*word).clone()).collect()
        };
        let count = operands.len();
        match self {
            Self::Values(options) => values(given.words, options).map(Field::new).collect(),
            Self::Letter(letter, options) => {
                let clustered = clustered(given.words, *letter).map(str::to_owned);
                let named = values(given.words, options).map(str::to_owned);
                named.chain(clustered).map(|text| Field::new(&text)).collect()
            }
            Self::Bare(letter) => {
                let bare = |word: &Field| {
                    word.text.bytes().all(|byte| byte.is_ascii_alphabetic())
                        && word.text.contains(*letter)
                };
                let told = given.words.get(1).is_some_and(bare);
                given.words.iter().skip(2).take(usize::from(told)).cloned().collect()
            }
            Self::Both(one, other) => [one.of(given), other.of(given)].concat(),
            Self::First(one, other) => {
                let words = one.of(given);
                if words.is_empty() { other.of(given) } else { words }
            }
            Self::Downloads(options) => {
                let folder = value(given.words, options);
                let folder = folder.map(|folder| format!("{folder}/")).unwrap_or_default();
                let named = |url: &&Field| {
                    let url = url.text.split('?').next().unwrap_or_default();
                    Field::new(&format!("{folder}{}", crate::path::name(url)))
                };
                operands.iter().map(named).collect()
            }
            Self::Settings(options) => values(given.words, options)
                .filter_map(|setting| setting.split_once('='))
                .map(|(_, text)| Field::new(text.trim_start_matches('!')))
                .collect(),
            Self::Nth(at) => some(*at, at + 1),
            Self::From(from) => some(*from, count),
            Self::Last => some(count.saturating_sub(1).max(1), count),
            Self::Like(list) => {
                let like = operands.iter().filter(|word| lists(list, &word.text));
                like.map(|word| (*word).clone()).collect()
            }
            Self::Before(pick) => pick.of(&given.head()),
            Self::Behind(word) => {
                let at = given.words.iter().position(|each| each.text == *word);
                at.map_or(Vec::new(), |at| given.words[at + 1..].to_vec())
            }
            Self::Input => {
                let input = given.input;
                let told = Field { text: input.text.clone(), taint: input.taint, glob: false };
                Vec::from_iter((!input.text.trim().is_empty()).then_some(told))
            }
        }
    }

    /// The words of a command within the command.
    fn command(&self, given: &Given<'_>) -> Vec<Field> {
        match self {
            Self::From(at) => given.tail(*at).to_vec(),
            _ => self.of(given),
        }
    }
}

/// The values of an option that stands behind other letters in one word: `-xzf a.tar`, `-qO-`.
fn clustered(words: &[Field], letter: char) -> impl Iterator<Item = &str> {
    words.iter().enumerate().skip(1).filter_map(move |(at, word)| {
        let letters = word.text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let (head, value) = letters.split_once(letter).filter(|(head, _)| !head.is_empty())?;
        if value.is_empty() {
            let several = head.bytes().all(|byte| byte.is_ascii_alphabetic());
            words.get(at + 1).filter(|_| several).map(|next| next.text.as_str())
        } else {
            head.bytes().all(|byte| byte.is_ascii_lowercase()).then_some(value)
        }
    })
}

impl Act {
    /// The words that are meant; none where the whole command is.
    pub(super) fn pick(&self) -> Option<&Pick> {
        match self {
            Self::Reads(pick)
            | Self::Writes(pick)
            | Self::Fetched(pick)
            | Self::Makes(pick)
            | Self::Empties(pick)
            | Self::Deletes(pick, _)
            | Self::Erases(pick)
            | Self::Renames(pick)
            | Self::Unpacks(_, pick)
            | Self::Shell(pick)
            | Self::Code(_, pick)
            | Self::Command(pick)
            | Self::Tool(pick)
            | Self::Script(_, pick)
            | Self::Stray(pick)
            | Self::There(pick, ..)
            | Self::Fetches(pick)
            | Self::Installs(pick) => Some(pick),
            Self::Finds(_) | Self::Verb(..) | Self::Calls(_) => None,
        }
    }

    /// Follows the words; gives what a command among them writes.
    pub(super) fn follow(
        &self,
        walker: &mut Walker<'_>,
        given: &Given<'_>,
        io: &Io<'_>,
    ) -> Step<Flow> {
        let program = given.program();
        let mut output = Flow::unknown();
        match self {
            Self::Finds(rule) => walker.found(rule, &given.told()),
            Self::Verb(at, said) => {
                let words = given.tail(*at);
                if !words.is_empty() {
                    output = said.run(walker, words, io)?;
                }
            }
            Self::Calls(code) => output = code(walker, given, io)?,
            Self::Unpacks(folder, archives) => unpacks(walker, given, [folder, archives], io),
            Self::Command(pick) => output = inside(walker, program, &pick.command(given), io)?,
            Self::Tool(pick) => {
                output = inside(walker, program, &tool(pick.command(given)), io)?;
            }
            Self::Script(by, pick) => {
                for file in pick.of(given) {
                    output = walker.execute(&file, by, &[], io)?;
                }
            }
            Self::There(pick, looks, acts) => {
                let command = pick.command(given);
                let before = walker.findings.len();
                inside(walker, program, &command, io)?;
                let quiet = walker.findings.len() == before;
                walker.found(
                    if quiet && looks_only(walker, &command) { looks } else { acts },
                    &given.told(),
                );
            }
            Self::Shell(pick) => {
                for word in pick.of(given) {
                    output = walker.payload(&word.text, program, &Flow::unknown())?;
                }
            }
            _ => {
                for word in self.pick().map_or(Vec::new(), |pick| pick.of(given)) {
                    self.word(walker, program, &word)?;
                }
            }
        }
        Ok(output)
    }

    /// Follows one word that stands for itself.
    fn word(&self, walker: &mut Walker<'_>, program: &str, word: &Field) -> Step {
        match self {
            Self::Reads(_) => drop(walker.secret_path(&word.text)),
            // A dash is the output.
            Self::Writes(_) | Self::Fetched(_) if word.text == "-" => {}
            Self::Writes(_) => walker.write(word),
            Self::Fetched(_) => {
                let taint = Taint { network: true, ..Taint::default() };
                walker.write(word);
                walker.remember(word, &Flow { taint, ..Flow::unknown() }, Mode::Replace);
            }
            Self::Makes(_) => walker.makes_new(word),
            Self::Empties(_) => walker.empties(word),
            Self::Deletes(_, reach) => walker.delete(word, *reach),
            Self::Erases(_) => walker.erases(word),
            Self::Renames(_) => walker.renames(word),
            Self::Code(language, _) => walker.inline(language, &word.text)?,
            Self::Fetches(_) => {
                word.text.split(',').for_each(|package| walker.fetches_package(package, program));
            }
            Self::Installs(_) => walker.installs_package(&word.text),
            Self::Stray(_) => {
                let path = absolute(&word.text, &walker.state.cwd);
                if walker.is_stray(&path) && !walker.is_written(&path) {
                    walker.found(&execution::STRAY_SCRIPT, &word.text);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Archives are unpacked in a folder, the working one if none is told.
fn unpacks(
    walker: &mut Walker<'_>,
    given: &Given<'_>,
    [folder, archives]: [&Pick; 2],
    io: &Io<'_>,
) {
    let folder = folder.of(given).into_iter().find(|folder| !folder.text.is_empty());
    let folder = folder.unwrap_or_else(|| Field::new("."));
    walker.unpacks_from(&folder, &archives.of(given), io);
}

/// A command by the name of its program, where the name of its package stands.
fn tool(mut command: Vec<Field>) -> Vec<Field> {
    if let Some(first) = command.first_mut() {
        let bare = first.text.rsplit_once('@').filter(|(head, _)| !head.is_empty());
        let bare = bare.map_or(first.text.as_str(), |(head, _)| head);
        first.text = crate::path::name(bare).to_owned();
    }
    command
}

/// Whether there is a command, and it opens no shell.
fn looks_only(walker: &Walker<'_>, command: &[Field]) -> bool {
    !command.is_empty() && !walker.opens_shell(&joined(command))
}

/// Follows a command within the command.
fn inside(walker: &mut Walker<'_>, program: &str, words: &[Field], io: &Io<'_>) -> Step<Flow> {
    walker.via.push(program.to_owned());
    let output = walker.run(words, io)?;
    walker.via.pop();
    Ok(output)
}
