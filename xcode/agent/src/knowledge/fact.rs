//! A fact of the memory: what it is about, what is so, of which kind, and when it was last said.

use jiff::civil::Date;

/// The longest key, in characters.
pub(crate) const KEY_MAX: usize = 60;
/// The longest fact, in characters: a line or two, so that no text of its own finds room.
pub(crate) const FACT_MAX: usize = 300;

/// The kinds, in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// What it is built with.
    TechStack,
    /// How it is built, tested, checked.
    Commands,
    /// How code is written.
    Conventions,
    /// What the user likes; in the memory of all projects only.
    Preferences,
    /// What it is for.
    Context,
}

/// A fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its kind.
    pub category: Category,
    /// What it is about: with the kind, what makes it this fact.
    pub key: String,
    /// What is so.
    pub fact: String,
    /// When it was last said.
    pub date: Date,
}

impl Category {
    /// All.
    pub const ALL: [Self; 5] =
        [Self::TechStack, Self::Commands, Self::Conventions, Self::Preferences, Self::Context];

    /// Its word, in files and for the model.
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

    /// The kind with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.word() == word)
    }
}

impl Fact {
    /// The line of a file.
    pub(crate) fn line(&self) -> String {
        format!("- [{}] {}: {}", self.date, self.key, self.fact)
    }

    /// The fact of a line; `None` where the line is not a fact.
    pub(crate) fn of_line(category: Category, line: &str) -> Option<Self> {
        let rest = line.trim().strip_prefix("- [")?;
        let (date, rest) = rest.split_once(']')?;
        let date = date.trim().parse().ok()?;
        // Hand and input method write either colon.
        let at = rest.find([':', '：'])?;
        let (key, fact) = (rest[..at].trim(), rest[at..].trim_start_matches([':', '：']).trim());
        let is_whole = !key.is_empty() && !fact.is_empty();
        is_whole.then(|| Self { category, key: key.to_owned(), fact: fact.to_owned(), date })
    }
}
