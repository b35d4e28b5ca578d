//! A saved fact: its subject, its text, its category, and the date it was last confirmed.

use jiff::civil::Date;

/// The longest key, in characters.
pub(crate) const KEY_MAX: usize = 60;
/// The longest fact, in characters: a line or two, too short for a text of its own.
pub(crate) const FACT_MAX: usize = 300;

/// The categories, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// What it is built with.
    TechStack,
    /// The commands for building, testing and checking.
    Commands,
    /// How code is written.
    Conventions,
    /// What the user prefers; in the memory of all projects only.
    Preferences,
    /// The project's purpose.
    Context,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its category.
    pub category: Category,
    /// Its subject: together with the category, its identity.
    pub key: String,
    /// Its text.
    pub fact: String,
    /// When it was last confirmed.
    pub date: Date,
}

impl Category {
    /// All categories.
    pub const ALL: [Self; 5] =
        [Self::TechStack, Self::Commands, Self::Conventions, Self::Preferences, Self::Context];

    /// Its name, in files and for the model.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::TechStack => "tech-stack",
            Self::Commands => "commands",
            Self::Conventions => "conventions",
            Self::Preferences => "preferences",
            Self::Context => "context",
        }
    }

    /// The category with this name.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.word() == word)
    }
}

impl Fact {
    /// Its line in a file.
    pub(crate) fn line(&self) -> String {
        format!("- [{}] {}: {}", self.date, self.key, self.fact)
    }

    /// Parses a line; `None` if it is not a fact.
    pub(crate) fn of_line(category: Category, line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("- [")?;
        let (date, rest) = rest.split_once(']')?;
        let date = date.trim().parse().ok()?;
        // A Chinese input method writes the other colon.
        let at = rest.find([':', '：'])?;
        let (key, fact) = (rest[..at].trim(), rest[at..].trim_start_matches([':', '：']).trim());
        let is_whole = !key.is_empty() && !fact.is_empty();
        is_whole.then(|| Self { category, key: key.to_owned(), fact: fact.to_owned(), date })
    }
}
