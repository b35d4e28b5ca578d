//! Reports a model's messages before its answer, as soon as it is known that they are not the answer.
//!
//! `codex exec` prints each message in full and does not mark the last one (codex 0.169). A message is held back
//! until the model continues: sends another message, reasons, or starts an item. A message held at the turn's end is the
//! answer, or a part of a failed turn, and is not reported here.

use crate::event::{Event, Stage};

/// The message that may still be the answer.
#[derive(Debug, Default)]
pub(crate) struct Narration {
    held: Option<String>,
}

impl Narration {
    /// Handles the next event. Returns a message that is not the answer.
    pub(crate) fn event(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::AgentMessage { text } => {
                let before = self.held.replace(text.clone())?;
                // After a broken stream, Codex repeats what had already arrived (codex 0.169).
                Some(before).filter(|before| before != text)
            }
            Event::Item { kind, stage, .. } if goes_on(kind, *stage) => self.held.take(),
            _ => None,
        }
    }
}

/// Whether an item shows that the model continues. A task list, and items that began before the message, can also end
/// after the answer.
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

    /// The reported messages for these events, each with the event that triggered it.
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
