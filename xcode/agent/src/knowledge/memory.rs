//! The text of an `auto.md`: facts by category and key, and other lines of its authors, which are kept in place.
//! Not here: the file itself (see `store`).

use jiff::civil::Date;
use jiff::{Span, ToSpan as _};

use super::fact::{Category, Fact};
use super::language::{Language, MEMORY};

/// The content of an `auto.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Memory {
    lines: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Fact(Fact, String),
    /// `### category`
    Heading(Category, String),
    /// Another heading; the lines below it are not facts.
    Other(String),
    /// Anything else.
    Text(String),
}

impl Memory {
    /// Parses a file.
    pub(crate) fn parse(text: &str) -> Self {
        let mut category = None;
        let line = |text: &str| {
            let plain = text.trim();
            if let Some(heading) = plain.strip_prefix("### ") {
                category = category_of(heading);
                return match category {
                    Some(category) => Line::Heading(category, text.to_owned()),
                    None => Line::Other(text.to_owned()),
                };
            }
            if plain.starts_with("# ") || plain.starts_with("## ") {
                category = None;
                return Line::Other(text.to_owned());
            }
            match category.and_then(|category| Fact::of_line(category, plain)) {
                Some(fact) => Line::Fact(fact, text.to_owned()),
                None => Line::Text(text.to_owned()),
            }
        };
        Self { lines: text.lines().map(line).collect() }
    }

    /// The file's text. Unchanged lines are identical.
    pub(crate) fn text(&self) -> String {
        let line = |line: &Line| match line {
            Line::Fact(_, text) | Line::Heading(_, text) | Line::Other(text) | Line::Text(text) => {
                format!("{text}\n")
            }
        };
        self.lines.iter().map(line).collect()
    }

    /// Its facts, in order.
    pub(crate) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.lines.iter().filter_map(|line| match line {
            Line::Fact(fact, _) => Some(fact),
            _ => None,
        })
    }

    /// The language of its headings; none if it has none.
    pub(crate) fn language(&self) -> Option<Language> {
        self.lines.iter().find_map(|line| match line {
            Line::Other(text) => match text.trim().strip_prefix("## ")?.trim() {
                heading if heading == MEMORY.zh => Some(Language::Zh),
                heading if MEMORY.is(heading) => Some(Language::En),
                _ => None,
            },
            _ => None,
        })
    }

    /// Replaces the fact with the same category and one of these keys, which include its own; adds it at the end of its
    /// category if there is none. `language` is used for a missing heading.
    pub(crate) fn add(&mut self, fact: Fact, keys: &[&str], language: Language) {
        let same = |line: &Line| match line {
            Line::Fact(old, _) => {
                old.category == fact.category
                    && (old.key == fact.key || keys.contains(&old.key.as_str()))
            }
            _ => false,
        };
        let first = self.lines.iter().position(same);
        // There may be two of the same key after a merge of two files.
        let mut at = 0;
        self.lines.retain(|line| {
            let is_first = Some(at) == first;
            at += 1;
            is_first || !same(line)
        });
        let line = fact.line();
        let category = fact.category;
        let line = Line::Fact(fact, line);
        if let Some(first) = first {
            self.lines[first] = line;
            return;
        }
        if let Some(at) = self.end_of(category) {
            self.lines.insert(at, line);
            return;
        }
        if self.language().is_none() {
            self.gap();
            self.lines.push(Line::Other(format!("## {}", language.of(MEMORY))));
        }
        self.gap();
        let heading = format!("### {}", category.word());
        self.lines.extend([Line::Heading(category, heading), line]);
    }

    /// Removes the facts with this key, of one category or of all. Returns how many there were.
    pub(crate) fn delete(&mut self, key: &str, category: Option<Category>) -> usize {
        let is_meant = |fact: &Fact| {
            fact.key == key && category.is_none_or(|category| fact.category == category)
        };
        self.remove(is_meant)
    }

    /// Removes the facts that were not confirmed for so many days. Returns how many there were.
    pub(crate) fn evict(&mut self, today: Date, days: u64) -> usize {
        let span = i64::try_from(days).ok().and_then(|days| Span::new().try_days(days).ok());
        let oldest = span.and_then(|span| today.checked_sub(span).ok());
        // The period reaches back before the first date.
        let Some(oldest) = oldest else { return 0 };
        self.remove(|fact| fact.date < oldest)
    }

    fn remove(&mut self, is_meant: impl Fn(&Fact) -> bool) -> usize {
        let before = self.lines.len();
        self.lines.retain(|line| !matches!(line, Line::Fact(fact, _) if is_meant(fact)));
        before - self.lines.len()
    }

    /// The place behind the last fact of a category, or behind its heading.
    fn end_of(&self, category: Category) -> Option<usize> {
        let is_of = |line: &Line| match line {
            Line::Fact(fact, _) => fact.category == category,
            Line::Heading(heading, _) => *heading == category,
            Line::Other(_) | Line::Text(_) => false,
        };
        self.lines.iter().rposition(is_of).map(|at| at + 1)
    }

    fn gap(&mut self) {
        let is_open = |line: &Line| !matches!(line, Line::Text(text) if text.trim().is_empty());
        if self.lines.last().is_some_and(is_open) {
            self.lines.push(Line::Text(String::new()));
        }
    }
}

/// Whether a fact was last confirmed more than so many days ago.
pub(crate) fn is_older_than(date: Date, today: Date, days: i64) -> bool {
    today.checked_sub(days.days()).is_ok_and(|oldest| date < oldest)
}

/// The category that a heading's first word names: authors add remarks behind it.
fn category_of(heading: &str) -> Option<Category> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let heading = heading.trim();
    let end = heading.find(|letter| !is_word(letter)).unwrap_or(heading.len());
    Category::of_word(&heading[..end])
}

#[cfg(test)]
mod tests;
