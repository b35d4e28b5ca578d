//! The methods that find files for an issue: ours and the peers'.

use clap::ValueEnum;

/// A method that finds files for an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(super) enum Method {
    /// `ci bug-locate`, the engine under test.
    Ci,
    /// BM25 over whole files.
    Bm25,
    /// Search for the identifiers, weighted by rarity.
    Grep,
    /// aider's repository map.
    Aider,
    /// codegraph's `explore`.
    Codegraph,
}

impl Method {
    /// Its name in a table.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Ci => "**ci bug-locate**",
            Self::Bm25 => "BM25, whole files",
            Self::Grep => "identifier search, IDF",
            Self::Aider => "aider repository map",
            Self::Codegraph => "codegraph explore",
        }
    }

    /// Its name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ci => "ci",
            Self::Bm25 => "bm25",
            Self::Grep => "grep",
            Self::Aider => "aider",
            Self::Codegraph => "codegraph",
        }
    }

    /// Whether it needs many seconds, or minutes, per tree.
    pub(super) fn is_slow(self) -> bool {
        matches!(self, Self::Aider | Self::Codegraph)
    }
}
