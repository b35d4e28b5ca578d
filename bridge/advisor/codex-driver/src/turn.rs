//! Collects a stream of events into one turn. Bounded, whatever the events are.

use contract::advice::Usage;
use contract::id::ThreadId;

use crate::event::{ErrorKind, Event};

/// Maximum number of stored warnings; codex 0.169 repeats each of its own once or twice.
const WARNINGS_MAX: usize = 16;

/// How the turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminal {
    /// `turn.completed`: the thread contains the prompt and the answer.
    Completed {
        /// Tokens of the whole thread so far.
        usage: Usage,
    },
    /// `turn.failed`: the thread contains the prompt, and perhaps part of an answer.
    Failed {
        /// Codex's message.
        message: String,
        /// Codex's classification, if given.
        kind: Option<ErrorKind>,
    },
}

/// How far a turn got, so that its caller knows which effects a retry could repeat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The request was not sent to the model.
    #[default]
    NotAsked,
    /// The request was sent; the model only reasoned and wrote.
    Asked,
    /// A command or a tool ran.
    Acted,
}

/// The state of one turn, collected from the events of one process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turn {
    thread_id: Option<ThreadId>,
    reach: Reach,
    last_message: Option<String>,
    last_error: Option<String>,
    terminal: Option<Terminal>,
    warnings: Vec<String>,
    transcript_lost: bool,
    malformed_lines: u64,
}

impl Turn {
    /// Handles the next event. Events after the terminal one are ignored, and a
    /// second `thread.started` does not replace the first.
    pub fn apply(&mut self, event: Event) {
        if self.terminal.is_some() {
            return;
        }
        self.reach = self.reach.max(reach(&event));
        match event {
            Event::ThreadStarted { thread_id } => {
                self.thread_id.get_or_insert(thread_id);
            }
            Event::AgentMessage { text } => {
                self.last_message = Some(text);
                self.last_error = None;
            }
            Event::Warning { message } => self.warn(message),
            // Codex recovered from the error, so it no longer explains a failure.
            Event::Item { .. } => self.last_error = None,
            Event::Error { message } => self.last_error = Some(message),
            Event::TurnCompleted { usage } => {
                self.terminal = Some(Terminal::Completed { usage });
            }
            Event::TurnFailed { message, kind } => {
                self.terminal = Some(Terminal::Failed { message, kind });
            }
            Event::Malformed => self.malformed_lines += 1,
            Event::TurnStarted | Event::Unknown { .. } | Event::Blank => {}
        }
    }

    /// Codex's id of the thread, once it was reported.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        self.thread_id
    }

    /// How far the turn got.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The model's last message. It is the answer only if the turn completed.
    #[must_use]
    pub fn last_message(&self) -> Option<&str> {
        self.last_message.as_deref()
    }

    /// The last top-level `error`, if nothing arrived from the model since.
    #[must_use]
    pub fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// How the turn ended, if it has ended.
    #[must_use]
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// Tokens of the whole thread so far, if the turn completed.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        match self.terminal {
            Some(Terminal::Completed { usage }) => Some(usage),
            Some(Terminal::Failed { .. }) | None => None,
        }
    }

    /// Codex's warnings without duplicates.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether the thread can be resumed, as far as Codex reported: a full disk loses the transcript
    /// although the turn succeeds (codex 0.169).
    #[must_use]
    pub fn transcript_saved(&self) -> bool {
        !self.transcript_lost
    }

    /// Number of lines that were not events.
    #[must_use]
    pub fn malformed_lines(&self) -> u64 {
        self.malformed_lines
    }

    fn warn(&mut self, message: String) {
        self.transcript_lost |= message.contains("Failed to save the conversation transcript");
        if self.warnings.len() < WARNINGS_MAX && !self.warnings.contains(&message) {
            self.warnings.push(message);
        }
    }
}

/// How far a turn with this event got at least.
fn reach(event: &Event) -> Reach {
    match event {
        Event::TurnStarted
        | Event::AgentMessage { .. }
        | Event::TurnCompleted { .. }
        | Event::TurnFailed { .. } => Reach::Asked,
        Event::Item { kind, .. } if kind == "reasoning" || kind == "todo_list" => Reach::Asked,
        Event::Item { .. } => Reach::Acted,
        Event::ThreadStarted { .. }
        | Event::Warning { .. }
        | Event::Error { .. }
        | Event::Unknown { .. }
        | Event::Malformed
        | Event::Blank => Reach::NotAsked,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn turn(lines: &[&str]) -> Turn {
        let mut turn = Turn::default();
        for line in lines {
            turn.apply(Event::read(line.as_bytes()));
        }
        turn
    }

    const COMPLETED: &str = r#"{"type":"turn.completed","usage":{"input_tokens":1}}"#;

    fn says(text: &str) -> String {
        format!(r#"{{"type":"item.completed","item":{{"type":"agent_message","text":"{text}"}}}}"#)
    }

    #[test]
    fn the_last_message_before_the_end_is_kept() {
        let turn = turn(&[&says("first"), &says("second"), COMPLETED, &says("after")]);
        assert_eq!(turn.last_message(), Some("second"));
    }

    #[test]
    fn an_error_is_forgotten_once_the_model_speaks_again() {
        let error = r#"{"type":"error","message":"Reconnecting... 1/5 (x)"}"#;
        assert_eq!(turn(&[error]).last_error(), Some("Reconnecting... 1/5 (x)"));
        assert_eq!(turn(&[error, &says("partial")]).last_error(), None);
    }

    #[test]
    fn the_first_end_counts() {
        let failed = r#"{"type":"turn.failed","error":{"message":"no"}}"#;
        let expected = Terminal::Failed { message: "no".to_owned(), kind: None };
        assert_eq!(turn(&[failed, COMPLETED]).terminal(), Some(&expected));
    }

    #[test]
    fn a_warning_is_kept_once_and_a_lost_transcript_is_noticed() {
        let warning = r#"{"type":"item.completed","item":{"type":"error","message":"Failed to save the conversation transcript; Codex will continue retrying. Error: disk full"}}"#;
        let turn = turn(&[warning, warning]);
        assert_eq!(turn.warnings().len(), 1);
        assert!(!turn.transcript_saved());
    }

    #[test]
    fn how_far_a_turn_came_is_known() {
        let thread =
            r#"{"type":"thread.started","thread_id":"01a1fcca-0698-7310-ba47-d388ee82ebcb"}"#;
        let started = r#"{"type":"turn.started"}"#;
        let thought = r#"{"type":"item.completed","item":{"id":"item_0","type":"reasoning"}}"#;
        let ran = r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution"}}"#;
        assert_eq!(turn(&[thread]).reach(), Reach::NotAsked);
        assert_eq!(turn(&[thread, started, thought, &says("x")]).reach(), Reach::Asked);
        assert_eq!(turn(&[thread, started, ran, thought]).reach(), Reach::Acted);
    }

    proptest! {
        #[test]
        fn any_order_of_lines_is_some_turn(picks in prop::collection::vec((0usize..8, "[a-z]{0,4}"), 0..40)) {
            let mut applied = Turn::default();
            let mut ended = None;
            for (pick, text) in picks {
                let line = match pick {
                    0 => r#"{"type":"thread.started","thread_id":"01a1fcca-0698-7310-ba47-d388ee82ebcb"}"#.to_owned(),
                    1 => COMPLETED.to_owned(),
                    2 => format!(r#"{{"type":"turn.failed","error":{{"message":"{text}"}}}}"#),
                    3 => format!(r#"{{"type":"error","message":"{text}"}}"#),
                    4 => says(&text),
                    5 => format!(r#"{{"type":"item.completed","item":{{"type":"error","message":"{text}"}}}}"#),
                    6 => r#"{"type":"turn.started"}"#.to_owned(),
                    _ => text,
                };
                applied.apply(Event::read(line.as_bytes()));
                // Nothing changes after the end.
                match &ended {
                    None if applied.terminal().is_some() => ended = Some(applied.clone()),
                    None => {}
                    Some(before) => prop_assert_eq!(before, &applied),
                }
                prop_assert!(applied.warnings().len() <= WARNINGS_MAX);
            }
        }
    }
}
