//! What is wrong with a setting, and where it stands.

use std::fmt;
use std::path::PathBuf;

/// Where a value comes from, from the weakest to the strongest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The default file.
    Default,
    /// The user's file.
    User(PathBuf),
    /// The project's file.
    Project(PathBuf),
    /// A variable.
    Environment(&'static str),
    /// The client's environment.
    Client,
}

/// What is wrong in a settings file or variable, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source_of}: {what}")]
pub struct Fault {
    /// Where it stands.
    pub source_of: Source,
    /// What is wrong and how to mend it.
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
