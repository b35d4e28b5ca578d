//! What a model says before its answer, told as soon as it is known not to be the answer.
//!
//! `codex exec` prints each message whole and does not say which one is the last (codex 0.169). A message is held
//! until the model goes on: speaks again, thinks, or begins to do something. What is held at the turn's end is the
//! answer, or a part of a failed turn, and is not told here.

use crate::event::{Event, Stage};

/// The message that may still be the answer.
#[derive(Debug, Default)]
pub(crate) struct Narration {
    held: Option<String>,
}

impl Narration {
    /// Takes the next event into account. Returns a message that is not the answer.
    pub(crate) fn event(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::AgentMessage { text } => {
                let before = self.held.replace(text.clone())?;
                // After a stream that broke, Codex repeats what had come (codex 0.169).
                Some(before).filter(|before| before != text)
            }
            Event::Item { kind, stage, .. } if goes_on(kind, *stage) => self.held.take(),
            _ => None,
        }
    }
}

/// Whether the model has gone on. A list of tasks, and whatever was begun before the message, also end after the
/// answer.
fn goes_on(kind: &str, stage: Stage) -> bool {
    match (kind, stage) {
        ("todo_list", _) => false,
        ("reasoning", _) | (_, Stage::Started) => true,
        (_, Stage::Updated | Stage::Completed) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of these events, each after the word that it came with.
    fn told(words: &[&str]) -> Vec<String> {
        let mut narration = Narration::default();
        let mut told = Vec::new();
        for word in words {
            let item = |stage| Event::Item {
                kind: word.split(' ').next_back().unwrap_or_default().to_owned(),
                id: "item_1".to_owned(),
                subject: None,
                stage,
            };
            let event = match word.split(' ').next() {
                Some("says") => Event::AgentMessage { text: (*word).to_owned() },
                Some("starts") => item(Stage::Started),
                Some("ends") => item(Stage::Completed),
                _ => Event::TurnCompleted { usage: contract::advice::Usage::default() },
            };
            told.extend(narration.event(&event).map(|text| format!("{word}: {text}")));
        }
        told
    }

    #[test]
    fn a_message_is_told_once_the_model_goes_on() {
        for (words, expected) in [
            (&["says a", "over"][..], &[][..]),
            (&["says a", "says b", "over"], &["says b: says a"]),
            (
                &["says a", "starts command_execution", "ends command_execution", "says b"],
                &["starts command_execution: says a"],
            ),
            (&["says a", "ends reasoning", "says b"], &["ends reasoning: says a"]),
            (&["starts x", "says a", "ends x", "starts todo_list", "ends todo_list", "over"], &[]),
            (&["says a", "says a", "over"], &[]),
        ] {
            assert_eq!(told(words), expected, "{words:?}");
        }
    }
}
