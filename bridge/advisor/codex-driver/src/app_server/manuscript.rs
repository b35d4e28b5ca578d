//! Tracks what a model has written: counts, the current key, and completed parts of its reasoning. Incomplete text
//! is not returned, because a secret may be split over pieces.

use super::exchange::Text;
use super::keys::Keys;
use crate::attempt::Written;

/// Maximum size of a reasoning part that is stored until it is complete, in bytes. A part of a summary takes some
/// hundreds; a longer one is only counted.
const PART_MAX_BYTES: usize = 64 << 10;

/// The texts of one turn.
#[derive(Debug)]
pub(crate) struct Manuscript {
    /// Characters of reasoning.
    thought: u64,
    /// Completed parts of the reasoning's summaries.
    parts: u64,
    /// The part being written; `None` if it is too long.
    part: Option<String>,
    /// Characters of the answer.
    answer: u64,
    keys: Keys,
}

impl Manuscript {
    /// For a turn whose answer has these keys.
    pub(crate) fn new(keys: &'static [&'static str]) -> Self {
        let part = Some(String::new());
        Self { thought: 0, parts: 0, part, answer: 0, keys: Keys::new(keys) }
    }

    /// Handles a piece, and passes the new state to `tell`.
    pub(crate) fn take(&mut self, text: Text, mut tell: impl FnMut(Written)) {
        match text {
            Text::Answer(piece) => {
                self.answer += piece.chars().count() as u64;
                self.keys.read(&piece);
                tell(Written::Answer { chars: self.answer, key: self.keys.current() });
            }
            Text::AnswerDone => {
                // Another message may follow; its count starts at zero.
                self.answer = 0;
                self.keys.reset();
            }
            Text::Reasoning(chars) => {
                self.thought += chars;
                tell(self.reasoning());
            }
            Text::Summary(piece) => {
                self.thought += piece.chars().count() as u64;
                match &mut self.part {
                    Some(part) if part.len() + piece.len() <= PART_MAX_BYTES => {
                        part.push_str(&piece)
                    }
                    part => *part = None,
                }
                tell(self.reasoning());
            }
            Text::PartEnded => {
                let part = self.part.replace(String::new());
                let Some(text) = part.filter(|part| !part.trim().is_empty()) else { return };
                self.parts += 1;
                tell(Written::Part { text });
                tell(self.reasoning());
            }
        }
    }

    fn reasoning(&self) -> Written {
        Written::Reasoning { chars: self.thought, parts: self.parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(texts: Vec<Text>) -> Vec<Written> {
        let mut manuscript = Manuscript::new(&["a", "b"]);
        let mut told = Vec::new();
        for text in texts {
            manuscript.take(text, |written| told.push(written));
        }
        told
    }

    #[test]
    fn the_answer_is_counted_and_its_key_is_known() {
        let pieces = ["{\"", "a\": \"é", "\", \"b\"", ":1, \"odd\":2"];
        let told = told(pieces.iter().map(|piece| Text::Answer((*piece).to_owned())).collect());
        let expected = [(2, None), (8, Some("a")), (14, Some("b")), (25, None)];
        let expected = expected.map(|(chars, key)| Written::Answer { chars, key });
        assert_eq!(told, expected);
    }

    #[test]
    fn a_part_of_the_reasoning_is_told_once_it_is_whole() {
        let summary = |piece: &str| Text::Summary(piece.to_owned());
        let texts = vec![
            summary("**Ti"),
            summary("tle**"),
            Text::PartEnded,
            Text::Reasoning(7),
            Text::PartEnded,
        ];
        let expected = [
            Written::Reasoning { chars: 4, parts: 0 },
            Written::Reasoning { chars: 9, parts: 0 },
            Written::Part { text: "**Title**".to_owned() },
            Written::Reasoning { chars: 9, parts: 1 },
            Written::Reasoning { chars: 16, parts: 1 },
        ];
        assert_eq!(told(texts), expected);
    }

    #[test]
    fn a_part_that_is_too_long_is_only_counted() {
        let long = "x".repeat(PART_MAX_BYTES + 1);
        let texts = vec![Text::Summary(long), Text::Summary("tail".to_owned()), Text::PartEnded];
        assert!(!told(texts).iter().any(|written| matches!(written, Written::Part { .. })));
    }
}
