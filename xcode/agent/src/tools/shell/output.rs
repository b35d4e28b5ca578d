//! The output of a background task: masked as it arrives, kept until the model reads it, with its last lines for the user.

use std::collections::VecDeque;

use redact::{Redactor, Stream};

use super::kept::Kept;

/// How much of the end is kept for the user, in characters: about a screen.
const RECENT_CHARS: usize = 4_000;

/// Both output streams of a task.
pub(super) struct Output {
    stdout: Stream,
    stderr: Stream,
    /// The number of pauses since the last output.
    pauses: u8,
    /// What the model has not read: beginning and end, both streams in order of arrival.
    unread: Kept,
    /// The end of the whole output.
    recent: VecDeque<char>,
}

impl Output {
    pub(super) fn new(redactor: &Redactor) -> Self {
        Self {
            stdout: Stream::new(redactor.clone()),
            stderr: Stream::new(redactor.clone()),
            pauses: u8::MAX,
            unread: Kept::default(),
            recent: VecDeque::new(),
        }
    }

    /// Adds output of stdout.
    pub(super) fn stdout(&mut self, bytes: &[u8]) {
        self.pauses = 0;
        let text = self.stdout.push(bytes);
        self.keep(&text);
    }

    /// Adds output of stderr.
    pub(super) fn stderr(&mut self, bytes: &[u8]) {
        self.pauses = 0;
        let text = self.stderr.push(bytes);
        self.keep(&text);
    }

    /// Handles a pause. If there was no output in it, incomplete lines are kept once, as far as that reveals no
    /// secret.
    pub(super) fn pause(&mut self) {
        self.pauses = self.pauses.saturating_add(1);
        if self.pauses == 2 {
            for text in [self.stdout.pause(), self.stderr.pause()] {
                self.keep(&text);
            }
        }
    }

    /// Ends both streams.
    pub(super) fn finish(&mut self) {
        for stream in [std::mem::take(&mut self.stdout), std::mem::take(&mut self.stderr)] {
            self.keep(&stream.finish());
        }
    }

    /// The output since the last call, shortened like a result.
    pub(super) fn unread(&mut self) -> String {
        Kept::join(std::mem::take(&mut self.unread), Kept::default())
    }

    /// The end of the whole output.
    pub(super) fn recent(&self) -> String {
        self.recent.iter().collect::<String>().trim_end().to_owned()
    }

    fn keep(&mut self, text: &str) {
        self.unread.push(text);
        self.recent.extend(text.chars());
        let over = self.recent.len().saturating_sub(RECENT_CHARS);
        self.recent.drain(..over);
    }
}

#[cfg(test)]
mod tests {
    use redact::Redactor;

    use super::{Output, RECENT_CHARS};

    #[test]
    fn each_look_gets_what_came_since_the_last_and_the_user_the_end() {
        let key = "planted-key-of-no-known-form-0815".to_owned();
        let mut output = Output::new(&Redactor::with_values(vec![key.clone()]));
        output.stdout(b"one\ntw");
        assert_eq!(output.unread(), "one");
        output.stderr(b"bad\n");
        output.stdout(b"o\n");
        assert_eq!(output.unread(), "bad\ntwo");
        assert_eq!(output.unread(), "");
        output.stdout(b"Go on? [y/N] ");
        output.pause();
        assert_eq!(output.unread(), "");
        output.pause();
        assert_eq!(output.unread(), "Go on? [y/N]");
        output.stdout(format!("no {key}\n").as_bytes());
        output.finish();
        let text = output.unread();
        assert!(text.starts_with("no [REDACTED:"), "{text}");
        let recent = output.recent();
        assert!(recent.starts_with("one\nbad\ntwo\nGo on? [y/N] no [REDACTED:"), "{recent}");
        assert!(!recent.contains(&key));
    }

    #[test]
    fn what_nobody_looks_at_stays_bounded() {
        let mut output = Output::new(&Redactor::new());
        for number in 0..20_000 {
            output.stdout(format!("{number}\n").as_bytes());
        }
        assert_eq!(output.recent().chars().count(), RECENT_CHARS - 1);
        let unread = output.unread();
        assert!(unread.starts_with("0\n1\n") && unread.ends_with("19999"));
        assert!(unread.chars().count() < 30_100 && unread.contains(" lines] ..."));
    }
}
