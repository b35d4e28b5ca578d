//! The lines of `[Limits]`: what is less than it should be, in the order in which it arises, each once. The
//! fixed words are in `orchestration::limits`.

use orchestration::parts::limit_line;
use redact::Cut;

/// The longest line, in characters.
const LINE_MAX: usize = 600;

/// The lines, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(Vec<String>);

impl Limits {
    /// Adds a line, without its mark. What came from a repository or a tool is cleaned, masked and
    /// bounded here: the line goes to a terminal and into the hook's answer.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = redact::sanitize(&text.into(), Cut::chars(LINE_MAX).marked()).replace('\n', " ");
        if !self.0.contains(&text) {
            self.0.push(text);
        }
    }

    /// Whether a line begins with these words.
    #[must_use]
    pub fn says(&self, words: &str) -> bool {
        self.0.iter().any(|line| line.starts_with(words))
    }

    /// The lines, without their marks.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// All lines, each with its mark; empty when there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|line| limit_line(line)).collect();
        lines.join("\n")
    }
}
