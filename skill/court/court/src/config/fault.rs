//! A fault in the settings, and its location.

use std::fmt;
use std::path::PathBuf;

/// The source of a value, from the weakest to the strongest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The default file.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// An environment variable.
    Environment(&'static str),
    /// The client's environment.
    Client,
}

/// A fault in a settings file or variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source_of}: {what}")]
pub struct Fault {
    /// Its location.
    pub source_of: Source,
    /// What is wrong and how to fix it.
    pub what: String,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("default"),
            Self::User(path) | Self::Project(path) => write!(formatter, "{}", path.display()),
            Self::Environment(name) => formatter.write_str(name),
            Self::Client => formatter.write_str("environment"),
        }
    }
}
