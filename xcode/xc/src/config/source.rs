//! The source of a value. Flags take precedence over variables, and variables over files.

use std::fmt;

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// An option of the command line.
    Flag(&'static str),
    /// A variable of the environment.
    Variable(&'static str),
    /// The user's file.
    File,
    /// What the user's `apiKeyCommand` prints.
    Command,
    /// The project's file.
    Project,
    /// The user's file, and the project's beside it.
    Both,
    /// The resumed session.
    Session,
    /// The first key that was found.
    FirstKey,
    Default,
}

/// A value with its source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sourced<T> {
    pub(crate) value: T,
    /// The source of the value.
    pub(crate) source: Source,
}

impl<T> Sourced<T> {
    /// The value of the user's file, else `default`.
    pub(super) fn or_default(value: Option<T>, default: T) -> Self {
        match value {
            Some(value) => Self { value, source: Source::File },
            None => Self { value: default, source: Source::Default },
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) | Self::Variable(name) => formatter.write_str(name),
            Self::File => formatter.write_str("your file"),
            Self::Command => formatter.write_str("apiKeyCommand"),
            Self::Project => formatter.write_str(".x-code/config.json"),
            Self::Both => formatter.write_str("your file and .x-code/config.json"),
            Self::Session => formatter.write_str("session"),
            Self::FirstKey => formatter.write_str("first key found"),
            Self::Default => formatter.write_str("default"),
        }
    }
}
