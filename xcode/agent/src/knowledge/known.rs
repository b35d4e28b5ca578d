//! A session's knowledge: the end of the system prompt, and the rules that are added later.

use super::rules::Rulebook;

/// A session's knowledge, fixed for the whole session.
#[derive(Debug, Clone, Default)]
pub struct Knowledge {
    /// The end of the system prompt; empty if there is no knowledge.
    pub(crate) text: String,
    /// Rules that are sent when they apply.
    pub(crate) rules: Rulebook,
    /// What was loaded, in order.
    pub loaded: Vec<Loaded>,
    /// What was not loaded, or not in full, one per line.
    pub notes: Vec<String>,
}

/// A loaded file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Its layer.
    pub kind: Layer,
    /// Its path for display.
    pub path: String,
    /// The number of its facts or rules, if it has any.
    pub count: Option<usize>,
}

/// The layers of knowledge; a later one takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The user's own text for all projects.
    Global,
    /// Facts about the user.
    GlobalMemory,
    /// Knowledge of the project.
    Project,
    /// The project's rules.
    Rules,
    /// Facts about the project.
    ProjectMemory,
    /// One user's text about the project.
    Local,
    /// The last session's summary.
    Session,
}

impl Layer {
    /// Its heading, as in the original specification; that of rules is ours.
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
