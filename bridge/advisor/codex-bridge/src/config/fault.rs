//! Faults of a configuration: each with its location and a fix.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A flag of the command line, such as `--listen`.
    Flag(String),
    /// An environment variable.
    Environment(String),
    /// A line of the user's file.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// The default file that is compiled in.
    Default,
    /// Derived from the environment, such as `$XDG_STATE_HOME`.
    Found(&'static str),
    /// The setting is not given anywhere.
    Unset,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => write!(formatter, "flag {flag}"),
            Self::Environment(variable) => write!(formatter, "environment {variable}"),
            Self::File { path, line } => write!(formatter, "file {}:{line}", path.display()),
            Self::Default => formatter.write_str("default"),
            Self::Found(origin) => write!(formatter, "from {origin}"),
            Self::Unset => formatter.write_str("not set"),
        }
    }
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The setting's dotted name, or the unknown name.
    pub key: String,
    /// The given value; absent if it is secret or there is none.
    pub value: Option<String>,
    /// Where it was given.
    pub source: Source,
    /// What is wrong.
    pub problem: String,
    /// How to fix it.
    pub mend: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.key)?;
        if let Some(value) = &self.value {
            write!(formatter, " = {value}")?;
        }
        write!(formatter, " ({}): {}; {}", self.source, self.problem, self.mend)
    }
}

/// Every fault of a configuration; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => write!(formatter, "the configuration has a fault:")?,
            count => write!(formatter, "the configuration has {count} faults:")?,
        }
        self.0.iter().try_for_each(|fault| write!(formatter, "\n  {fault}"))
    }
}

impl std::error::Error for Faults {}
