//! Edits Claude Code's settings as text: other settings keep their order and
//! indentation. A single invalid value makes the client ignore the whole file (Claude Code 2.1),
//! so unexpected settings are refused, with all their faults. Which rules, which
//! hooks, and which file is up to the caller.

pub mod file;
mod hooks;
mod permissions;

use std::fmt;

use serde::Serialize as _;
use serde_json::ser::PrettyFormatter;
use serde_json::{Map, Value, json};

/// The part of the settings to read or change. Only this part must be well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `permissions`: what tools may do without asking.
    Permissions,
    /// `hooks`: programs that the client starts.
    Hooks,
}

/// Whether an entry of ours is to be added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is to be added.
    Add,
    /// It is to be removed.
    Remove,
}

/// What to do with the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Nothing, it is correct.
    Keep,
    /// Replace its content by this text.
    Write(String),
    /// Delete it, since nothing is left in it.
    Delete,
}

/// Settings in which one [`Part`] is well-formed.
#[derive(Debug, Clone)]
pub struct Settings {
    value: Value,
    /// The original text, for indentation and line end.
    text: String,
    is_changed: bool,
}

/// Why a settings file is not changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsFault {
    /// It is not JSON.
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// The parser's message.
        problem: String,
    },
    /// It has values that Claude Code does not accept.
    Shape {
        /// The part.
        part: Part,
        /// For each, a JSON Pointer and what was expected.
        faults: Vec<(String, &'static str)>,
    },
}

impl Settings {
    /// Parses settings and checks a part of them. An absent file counts as empty.
    ///
    /// # Errors
    /// [`SettingsFault`]; all faults of form at once.
    pub fn parse(text: Option<&str>, part: Part) -> Result<Self, SettingsFault> {
        let text = text.unwrap_or_default();
        let value = match text.trim() {
            "" => json!({}),
            _ => serde_json::from_str(text).map_err(|error| SettingsFault::Syntax {
                line: error.line(),
                column: error.column(),
                problem: problem(&error),
            })?,
        };
        let mut faults = Faults(Vec::new());
        faults.expect(value.is_object(), String::new(), "an object");
        match part {
            Part::Permissions => permissions::check(&value, &mut faults),
            Part::Hooks => hooks::check(&value, &mut faults),
        }
        match faults.0 {
            faults if faults.is_empty() => {
                Ok(Self { value, text: text.to_owned(), is_changed: false })
            }
            faults => Err(SettingsFault::Shape { part, faults }),
        }
    }

    /// Whether these are the same settings, regardless of their formatting.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.value == other.value
    }

    /// What to do with the file that these were read from.
    #[must_use]
    pub fn edit(&self) -> Edit {
        if !self.is_changed {
            return Edit::Keep;
        }
        match self.value.as_object().is_some_and(Map::is_empty) {
            true => Edit::Delete,
            false => Edit::Write(self.print()),
        }
    }

    /// The settings as text, with the original indentation and line end.
    fn print(&self) -> String {
        let before = &self.text;
        let indented = before.lines().find(|line| line.starts_with([' ', '\t']));
        let indent = indented.map_or("  ", |line| &line[..line.len() - line.trim_start().len()]);
        let formatter = PrettyFormatter::with_indent(indent.as_bytes());
        let mut text = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
        self.value.serialize(&mut serializer).expect("a JSON value is JSON");
        let mut text = String::from_utf8(text).expect("JSON is UTF-8");
        if before.is_empty() || before.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// The faults found so far.
struct Faults(Vec<(String, &'static str)>);

impl Faults {
    fn expect(&mut self, is_right: bool, pointer: String, expected: &'static str) {
        if !is_right {
            self.0.push((pointer, expected));
        }
    }
}

impl fmt::Display for SettingsFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dropped = match self {
            Self::Syntax { line, column, problem } => {
                write!(formatter, "line {line}, column {column}: {problem}")?;
                "the whole file"
            }
            Self::Shape { part, faults } => {
                let texts =
                    faults.iter().map(|(at, expected)| format!("expected {expected} at {at:?}"));
                formatter.write_str(&texts.collect::<Vec<_>>().join("; "))?;
                match part {
                    Part::Permissions => "the whole file",
                    Part::Hooks => "every hook of the file",
                }
            }
        };
        write!(formatter, "; mend it, because Claude Code drops {dropped}")
    }
}

impl std::error::Error for SettingsFault {}

/// The parser's message without the place, which is reported separately.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}
