//! What a stream of events amounts to. Keeps one turn; bounded whatever is applied to it.

use contract::advice::Usage;
use contract::id::ThreadId;

use crate::event::{ErrorKind, Event};

/// Most warnings that are kept; codex 0.169 repeats each of its own once or twice.
const WARNINGS_MAX: usize = 16;

/// How the turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminal {
    /// `turn.completed`: the thread holds the prompt and the answer.
    Completed {
        /// Tokens of the whole thread so far.
        usage: Usage,
    },
    /// `turn.failed`: the thread holds the prompt, and perhaps part of an answer.
    Failed {
        /// Codex's words.
        message: String,
        /// What Codex takes it for, where it says.
        kind: Option<ErrorKind>,
    },
}

/// How far a turn came, so that its caller knows what another one could repeat.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The model was not asked.
    #[default]
    NotAsked,
    /// The model was asked, and did nothing but think and speak.
    Asked,
    /// A command or a tool ran.
    Acted,
}

/// What one process of Codex said, in the order it said it.
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
    /// Takes the next event into account. After the terminal one nothing counts any more, and a
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
            // Codex got through after an error: that error no longer explains anything.
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

    /// Codex's id of the conversation, once it said so.
    #[must_use]
    pub fn thread_id(&self) -> Option<ThreadId> {
        self.thread_id
    }

    /// How far the turn came.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    /// The last thing the model said. It is the answer only of a completed turn.
    #[must_use]
    pub fn last_message(&self) -> Option<&str> {
        self.last_message.as_deref()
    }

    /// The last top-level `error` since which nothing arrived from the model.
    #[must_use]
    pub fn last_error(&self) -> Option<&str> {
        self.last_error.as_deref()
    }

    /// How the turn ended, if it did.
    #[must_use]
    pub fn terminal(&self) -> Option<&Terminal> {
        self.terminal.as_ref()
    }

    /// Tokens of the whole thread so far, where the turn completed.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        match self.terminal {
            Some(Terminal::Completed { usage }) => Some(usage),
            Some(Terminal::Failed { .. }) | None => None,
        }
    }

    /// What Codex warned of, each once.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether the thread can be resumed as far as Codex said: a full disk loses the transcript
    /// although the turn succeeds (codex 0.169).
    #[must_use]
    pub fn transcript_saved(&self) -> bool {
        !self.transcript_lost
    }

    /// Lines that were no event.
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

/// How far a turn is that has this event.
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
