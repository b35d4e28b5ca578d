//! The dialog whether a call may run: the call exactly as it would be executed, and the answers. Not here: who asks,
//! and what a yes for the session covers.

use std::collections::BTreeSet;

use ratatui_core::style::{Style, Stylize as _};
use ratatui_core::text::{Line, Span};

use super::diff::{self, Hunk};
use super::field::{Field, Shown};
use super::measure;
use crate::terminal::{Code, Input, Key};

/// How many lines of a new file are shown.
const NEW_FILE_LINES: usize = 10;

/// The call in question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) tool: String,
    /// What it would do.
    pub(crate) subject: Subject,
    /// Its class in words: read-only, write, dangerous.
    pub(crate) class: String,
    /// Whether it is more than an ordinary change.
    pub(crate) is_dangerous: bool,
    /// The reasons for asking, one per line.
    pub(crate) reasons: Vec<String>,
    /// Whether a yes may be given for the rest of the session.
    pub(crate) is_grantable: bool,
}

/// What a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Run a command.
    Command(String),
    /// Change a file.
    Change {
        path: String,
        /// In order; each can be accepted or declined.
        hunks: Vec<Hunk>,
    },
    /// Create a file.
    NewFile {
        path: String,
        /// Its full text.
        text: String,
    },
    /// Anything else, with its arguments.
    Other(String),
}

/// The texts of the dialog, in the user's language. The key's letter is shown before its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Words {
    /// `Allow this?`
    pub(crate) question: &'static str,
    /// Behind `Y`.
    pub(crate) yes: &'static str,
    /// Behind `S`: for this session.
    pub(crate) session: &'static str,
    /// Behind `N`.
    pub(crate) no: &'static str,
    /// Behind `W`: no, with a message to the model.
    pub(crate) no_because: &'static str,
    /// Behind `H`: decide on each hunk.
    pub(crate) hunks: &'static str,
    /// `Take hunk`, before `1/3`.
    pub(crate) hunk: &'static str,
    /// `lines`, behind the number of a new file's lines.
    pub(crate) lines: &'static str,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decided {
    /// Run this call.
    Once,
    /// Run it and similar calls, for the rest of the session.
    Session,
    /// Do not run it; with a message to the model if there is one.
    No(Option<String>),
    /// Apply only these hunks, by index from 0: neither none nor all.
    Hunks(BTreeSet<usize>),
}

/// The dialog.
#[derive(Debug, Clone)]
pub(crate) struct Permission {
    asked: Asked,
    words: Words,
    step: Step,
}

#[derive(Debug, Clone)]
enum Step {
    Whole,
    /// The message to the model is being typed.
    Because(Field),
    /// The hunk in question, and those accepted so far.
    Hunks(usize, BTreeSet<usize>),
}

impl Permission {
    /// A dialog about the whole call.
    pub(crate) const fn new(asked: Asked, words: Words) -> Self {
        Self { asked, words, step: Step::Whole }
    }

    /// The decision for a key. Enter decides nothing, in case the user was typing a line. Esc and Ctrl+C are handled by the
    /// program.
    pub(crate) fn key(&mut self, key: Key) -> Option<Decided> {
        if let Step::Because(field) = &mut self.step {
            return field.key(key).map(|words| Decided::No(Some(words)));
        }
        let Code::Char(letter) = key.code else { return None };
        key.typed()?;
        self.letter(letter.to_ascii_lowercase())
    }

    /// Handles an input, and returns the decision if it makes one.
    pub(crate) fn input(&mut self, input: &Input) -> Option<Decided> {
        match input {
            Input::Key(key) => self.key(*key),
            Input::Line(line) => self.line(line),
            Input::Paste(text) => {
                self.paste(text);
                None
            }
            Input::Resize | Input::Closed => None,
        }
    }

    /// Inserts a pasted text into the message to the model, if it is being typed.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Step::Because(field) = &mut self.step {
            field.paste(text);
        }
    }

    /// The decision for a line from a plain terminal: a letter; behind `n`, a message to the model.
    pub(crate) fn line(&mut self, line: &str) -> Option<Decided> {
        let line = line.trim();
        if matches!(self.step, Step::Because(_)) {
            return (!line.is_empty()).then(|| Decided::No(Some(line.to_owned())));
        }
        let mut letters = line.chars();
        let letter = letters.next()?.to_ascii_lowercase();
        match letters.as_str().strip_prefix(' ').map(str::trim) {
            Some(words) if matches!(letter, 'n' | 'w') && !words.is_empty() => {
                Some(Decided::No(Some(words.to_owned())))
            }
            None if letters.as_str().is_empty() => self.letter(letter),
            Some(_) | None => None,
        }
    }

    fn letter(&mut self, letter: char) -> Option<Decided> {
        let hunks = self.hunks().len();
        match (&mut self.step, letter) {
            (Step::Hunks(at, taken), 'y' | 'n') => {
                if letter == 'y' {
                    taken.insert(*at);
                }
                *at += 1;
                if *at < hunks {
                    return None;
                }
                Some(match std::mem::take(taken) {
                    taken if taken.is_empty() => Decided::No(None),
                    taken if taken.len() == hunks => Decided::Once,
                    taken => Decided::Hunks(taken),
                })
            }
            (Step::Whole, 'y') => Some(Decided::Once),
            (Step::Whole, 's') if self.asked.is_grantable => Some(Decided::Session),
            (Step::Whole, 'n') => Some(Decided::No(None)),
            (Step::Whole, 'w') => {
                self.step = Step::Because(Field::new(Shown::Plain));
                None
            }
            (Step::Whole, 'h') if hunks > 1 => {
                self.step = Step::Hunks(0, BTreeSet::new());
                None
            }
            _ => None,
        }
    }

    fn hunks(&self) -> &[Hunk] {
        match &self.asked.subject {
            Subject::Change { hunks, .. } => hunks,
            Subject::Command(_) | Subject::NewFile { .. } | Subject::Other(_) => &[],
        }
    }

    /// What the call would do, for the scrollback: it may be longer than the screen, and remains readable.
    pub(crate) fn preview(&self) -> Vec<Line<'static>> {
        let Asked { tool, subject, class, is_dangerous, reasons, .. } = &self.asked;
        let style = if *is_dangerous { Style::new().red() } else { Style::new().yellow() };
        let title = Span::styled(format!("{tool} [{class}]"), style.bold());
        let mut lines = vec![Line::from(title)];
        match subject {
            Subject::Command(text) | Subject::Other(text) => {
                lines.extend(
                    redact::visible(text).split('\n').map(|line| Line::from(line.to_owned())),
                );
            }
            Subject::Change { path, hunks } => {
                lines.push(diff::summary(path, hunks));
                lines.extend(hunks.iter().flat_map(diff::hunk));
            }
            Subject::NewFile { path, text } => {
                let count = text.lines().count();
                let path = redact::visible_line(path);
                lines.push(Line::from(format!("{path} (+{count} {})", self.words.lines)).bold());
                let shown = text.lines().take(NEW_FILE_LINES);
                lines.extend(
                    shown.map(|line| Line::from(format!("+{}", redact::visible(line))).green()),
                );
                if count > NEW_FILE_LINES {
                    let rest = format!("... +{} {}", count - NEW_FILE_LINES, self.words.lines);
                    lines.push(Line::from(rest).dim());
                }
            }
        }
        let reason =
            |reason: &String| Line::styled(redact::visible_line(reason).into_owned(), style);
        lines.extend(reasons.iter().map(reason));
        lines
    }

    /// The question and the keys that answer it, and the cursor's place.
    pub(crate) fn lines(&self, columns: u16) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        match &self.step {
            Step::Because(field) => {
                let (line, column) = field.line(&format!("{}: ", self.words.no_because), columns);
                (vec![line], Some((0, column)))
            }
            Step::Hunks(at, _) => {
                let hunks = self.hunks();
                let mut lines = hunks.get(*at).map(diff::hunk).unwrap_or_default();
                let place = format!("{} {}/{}", self.words.hunk, at + 1, hunks.len());
                lines.push(Line::from(place).bold());
                lines.extend(keys(&[("Y", self.words.yes), ("N", self.words.no)], columns));
                (lines, None)
            }
            Step::Whole => {
                let mut lines = vec![Line::from(self.words.question).bold()];
                lines.extend(keys(&self.answers(), columns));
                (lines, None)
            }
        }
    }

    /// The question for a plain terminal; the call's effect is printed above it.
    pub(crate) fn asked(&self) -> Vec<Line<'static>> {
        self.lines(u16::MAX).0
    }

    fn answers(&self) -> Vec<(&'static str, &'static str)> {
        let mut answers = vec![("Y", self.words.yes)];
        if self.asked.is_grantable {
            answers.push(("S", self.words.session));
        }
        answers.push(("N", self.words.no));
        answers.push(("W", self.words.no_because));
        if self.hunks().len() > 1 {
            answers.push(("H", self.words.hunks));
        }
        answers
    }
}

/// The letters with their meaning, in as few rows as possible.
fn keys(answers: &[(&'static str, &'static str)], columns: u16) -> Vec<Line<'static>> {
    let mut rows: Vec<Line<'static>> = Vec::new();
    for (letter, label) in answers {
        let width = measure::width(letter) + 1 + measure::width(label);
        let has_room = |row: &&mut Line<'_>| row.width() + 2 + width <= usize::from(columns);
        let spans = [Span::from(*letter).cyan().bold(), Span::from(format!(" {label}"))];
        match rows.last_mut().filter(has_room) {
            Some(row) => {
                row.push_span("  ");
                row.extend(spans);
            }
            None => rows.push(Line::from(spans.to_vec())),
        }
    }
    rows
}
