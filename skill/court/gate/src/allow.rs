//! Commands that a user allows although they need a review: patterns, and whether one covers a judgement. A pattern
//! is held against the words of the one command that a call is, never against its text. Not here: where patterns
//! come from (a host takes them from the user alone).

use std::fmt;

use crate::call::ToolCall;
use crate::context::{Context, Entry};
use crate::judgement::{Judgement, Outcome};
use crate::level::Level;
use crate::limits::Budget;
use crate::lookups::Lookups;
use crate::path::{self, Zone, absolute};
use crate::syntax::{self, Kind, Part, Quoted, Word};
use crate::tools;

/// The longest pattern, in bytes.
const BYTES_MAX: usize = 1_000;
/// Any number of words, as the last one of a pattern.
const REST: &str = "...";
/// Signs that the shell reads otherwise than as text: a pattern has none.
const SIGNS: &str = ";&|<>()$`\"'\\{}[]?~#!\n";
/// Rules that a pattern may lower, by the beginnings of their names: what a command does to things that it names.
/// What cannot be read, what this session wrote, what executes or guards the work, and secrets are not here.
const LOWERED: &[&str] = &[
    "cloud.change",
    "cluster.change",
    "container.destroy",
    "database.destroy",
    "files.delete",
    "files.empty",
    "files.mode",
    "files.move-away",
    "git.discard",
    "git.lose",
    "git.rewrite-remote",
    "git.sweep",
    "infrastructure.apply",
    "network.expose",
    "network.fetch",
    "network.listen",
    "network.remote",
    "network.send",
    "package.",
    "process.signal",
    "system.change",
];

/// A command that the user allows: words in which `*` stands for any text, and `...` at the end for any words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    words: Vec<String>,
    is_open: bool,
}

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternFault {
    /// It has no words.
    Empty,
    /// It is longer than 1,000 bytes.
    Long,
    /// It has a sign of the shell.
    Sign(char),
    /// Its program is not named in full.
    Program,
    /// `...` stands before other words.
    Rest,
}

impl fmt::Display for PatternFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(formatter, "it names no command"),
            Self::Long => write!(formatter, "it is longer than {BYTES_MAX} bytes"),
            Self::Sign(sign) => write!(
                formatter,
                "it has the sign {sign:?}: a pattern is one command's words, with * for any text"
            ),
            Self::Program => write!(formatter, "its first word must be a program's whole name"),
            Self::Rest => {
                write!(formatter, "`...` stands for all words that follow: only at the end")
            }
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A [`PatternFault`] that says what is wrong.
    pub fn parse(text: &str) -> Result<Self, PatternFault> {
        if text.len() > BYTES_MAX {
            return Err(PatternFault::Long);
        }
        if let Some(sign) = text.chars().find(|each| SIGNS.contains(*each) || each.is_control()) {
            return Err(PatternFault::Sign(sign));
        }
        let mut words: Vec<String> =
            text.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let is_open = words.last().is_some_and(|word| word == REST);
        if is_open {
            words.pop();
        }
        if words.iter().any(|word| word == REST) {
            return Err(PatternFault::Rest);
        }
        let first = words.first().ok_or(PatternFault::Empty)?;
        if first.contains(['*', '=']) {
            return Err(PatternFault::Program);
        }
        Ok(Self { words, is_open })
    }

    fn covers(&self, words: &[String]) -> bool {
        let fits =
            words.len() == self.words.len() || self.is_open && words.len() > self.words.len();
        fits && self.words.iter().zip(words).all(|(pattern, word)| is_like(word, pattern))
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = if self.is_open { " ..." } else { "" };
        write!(formatter, "{}{rest}", self.words.join(" "))
    }
}

/// The pattern that covers a judgement of L2: the call is one plain command of the shell that it is like, everything
/// in it was understood, and nothing in it leads to a protected path, a secret, or a file that this session wrote.
#[must_use]
pub fn allowed_by<'p>(
    patterns: &'p [Pattern],
    call: &ToolCall<'_>,
    context: &Context<'_>,
    judgement: &Judgement,
) -> Option<&'p Pattern> {
    let [seen] = judgement.commands.as_slice() else { return None };
    let judged = judgement.level == Level::L2 && judgement.outcome == Outcome::Judged;
    if patterns.is_empty() || !judged || call.name != "Bash" || !seen.via.is_empty() {
        return None;
    }
    // As it was followed: nothing stood for another command, and nothing was cut off.
    let words = plain_words(&tools::command(call).ok()??)?;
    if seen.words != words {
        return None;
    }
    let high = judgement.findings.iter().filter(|found| found.level >= Level::L2);
    if !high.clone().all(|found| LOWERED.iter().any(|rule| found.rule.id.starts_with(rule))) {
        return None;
    }
    let pattern = patterns.iter().find(|pattern| pattern.covers(&words))?;
    let lookups = Lookups::new(context.disk);
    let context = &Context { disk: &lookups, ..*context };
    let is_own = judgement.files.iter().any(|path| is_written(path, context))
        || context.disk.wrote().iter().any(|path| path::name(path) == path::name(&words[0]));
    let mut paths = words.iter().flat_map(|word| named_paths(word));
    let guarded = is_own || paths.any(|path| is_guarded(path, context));
    (!guarded && lookups.fault().is_none()).then_some(pattern)
}

/// The words of each simple command of a line that consists of nothing but such commands, joined by `|`, `&&`, `||`,
/// `;` or a line's end: no assignment, substitution, variable or pattern, nothing in the background, and no redirection
/// but of one stream into another and to `/dev/null`. None of any other line.
#[must_use]
pub fn plain_line(command: &str) -> Option<Vec<Vec<String>>> {
    let script = syntax::parse(command, &mut Budget::new()).ok()?;
    if script.items.iter().any(|item| item.pace != syntax::Pace::Waits) {
        return None;
    }
    let pipelines = script.items.iter().flat_map(|item| &item.pipelines);
    pipelines
        .flat_map(|pipeline| &pipeline.commands)
        .map(|command| if loses_nothing(&command.redirects) { words(command) } else { None })
        .collect()
}

/// Whether no file is read or written.
fn loses_nothing(redirects: &[syntax::Redirect]) -> bool {
    use syntax::RedirectKind as To;
    redirects.iter().all(|redirect| match &redirect.kind {
        To::Duplicate(word) => literal(word).is_some(),
        To::Read(word) | To::Write(word) | To::Append(word) => {
            literal(word).as_deref() == Some("/dev/null")
        }
        To::ReadWrite(_) | To::HereString(_) | To::Heredoc(_) => false,
    })
}

/// The words of a text that is one simple command and nothing else: no list, pipe, redirection, assignment,
/// substitution, variable or pattern.
fn plain_words(command: &str) -> Option<Vec<String>> {
    let script = syntax::parse(command, &mut Budget::new()).ok()?;
    let [item] = script.items.as_slice() else { return None };
    let [pipeline] = item.pipelines.as_slice() else { return None };
    let [command] = pipeline.commands.as_slice() else { return None };
    let is_alone = item.pace == syntax::Pace::Waits && command.redirects.is_empty();
    if is_alone { words(command) } else { None }
}

/// The words of a simple command without assignments, if all of them are text.
fn words(command: &syntax::Command) -> Option<Vec<String>> {
    let Kind::Simple(simple) = &command.kind else { return None };
    if !simple.assignments.is_empty() || simple.words.is_empty() {
        return None;
    }
    simple.words.iter().map(literal).collect()
}

fn literal(word: &Word) -> Option<String> {
    let mut text = String::new();
    for piece in &word.pieces {
        let Part::Text(part) = &piece.part else { return None };
        if piece.quoted == Quoted::No && part.contains(['*', '?', '[', '{', '~', '(', '!']) {
            return None;
        }
        text.push_str(part);
    }
    Some(text)
}

/// What in a word may be a path: the word, what stands behind a sign in it, and behind the letter of an option.
fn named_paths(word: &str) -> impl Iterator<Item = &str> {
    let glued = word.strip_prefix('-').and_then(|option| option.get(1..));
    let parts = word.split(['=', ':', ',', '@']).chain([word]).chain(glued);
    parts.filter(|part| !part.is_empty())
}

/// Whether a path leads upwards, to what guards or drives the work, to a secret, or to what this session wrote.
fn is_guarded(path: &str, context: &Context<'_>) -> bool {
    let plain = absolute(path, context.cwd);
    let real = context.disk.resolve(&plain).unwrap_or_else(|| plain.clone());
    let protects = |place: &String| path::within(&real, place) || path::within(place, &real);
    path.split('/').any(|part| part == "..")
        || path::zone_of(&real, context.cwd, context) == Zone::Persistence
        || path::is_record(&real, context)
        || path::holds_records(&real, context)
        || path::holds_wiring(&real, context)
        || path::is_secret(&real, context.home)
        || context.protected.iter().any(protects)
        || is_written(&plain, context)
        || is_written(&real, context)
}

/// Whether this session wrote or fetched what lies at a path or below it, as far as the disk answers.
fn is_written(path: &str, context: &Context<'_>) -> bool {
    context.disk.entry(path) == Entry::Unanswered
        || context.disk.written(path).is_some()
        || context.disk.fetched(path).is_some()
        || context.disk.wrote().iter().any(|file| path::within(file, path))
}

/// Whether a word is like one of a pattern, in which `*` stands for any text. An option is only like a pattern that
/// begins as options do.
fn is_like(word: &str, pattern: &str) -> bool {
    if word.starts_with('-') && !pattern.starts_with('-') {
        return false;
    }
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = word.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
