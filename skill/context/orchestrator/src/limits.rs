//! The lines of `[Limits]`: restrictions in the order in which they arise, without duplicates. The
//! fixed texts are in `orchestration::limits`.

use orchestration::parts::limit_line;
use redact::Cut;

/// The longest line, in characters.
const LINE_MAX: usize = 600;

/// The lines, in order, without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits(Vec<String>);

impl Limits {
    /// Adds a line, without its prefix. It is cleaned, masked and truncated here, because it may contain text from a
    /// repository or a tool, and is shown on a terminal and in the hook's response.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = redact::sanitize(&text.into(), Cut::chars(LINE_MAX).marked()).replace('\n', " ");
        if !self.0.contains(&text) {
            self.0.push(text);
        }
    }

    /// Whether a line begins with this text.
    #[must_use]
    pub fn says(&self, words: &str) -> bool {
        self.0.iter().any(|line| line.starts_with(words))
    }

    /// The lines, without their prefixes.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.0
    }

    /// All lines, each with its prefix; may be empty.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.0.iter().map(|line| limit_line(line)).collect();
        lines.join("\n")
    }
}
