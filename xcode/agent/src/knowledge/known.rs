//! What a session knows from its beginning: the end of the system prompt, and the rules that come later.

use super::rules::Rulebook;

/// What a session knows from its beginning. It stays for the whole session.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// The end of the system prompt; empty where nothing is known.
    pub(crate) text: String,
    /// Rules that are told when their time comes.
    pub(crate) rules: Rulebook,
    /// What was loaded, in order.
    pub loaded: Vec<Loaded>,
    /// What was not, or not whole, a line each.
    pub notes: Vec<String>,
}

/// A file that was loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// What it is.
    pub kind: Layer,
    /// Its path as it is shown.
    pub path: String,
    /// How many facts or rules it holds, where it holds some.
    pub count: Option<usize>,
}

/// What a file is for the model; a later one is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The user's words for all projects.
    Global,
    /// Facts about the user.
    GlobalMemory,
    /// What is known of the project.
    Project,
    /// Its rules.
    Rules,
    /// Facts about it.
    ProjectMemory,
    /// What one user says of it.
    Local,
    /// What was done last.
    Session,
}

impl Layer {
    /// Its heading, the seed's; rules have one of ours.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Global => "### Global Preferences",
            Self::GlobalMemory => "### Global Auto Memory",
            Self::Project => "### Project Knowledge",
            Self::Rules => "### Project Rules",
            Self::ProjectMemory => "### Project Auto Memory",
            Self::Local => "### Local Preferences",
            Self::Session => "### Previous Session",
        }
    }
}
