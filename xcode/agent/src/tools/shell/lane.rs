//! One output stream of a command: masked, sent to the host, and kept. Not here: how the command ended.

use std::time::Duration;

use contract::xc::{Stream, What};
use redact::Redactor;

use super::kept::Kept;
use crate::tool::Running;

/// After a pause of this length an incomplete line is shown.
pub(super) const PAUSE: Duration = Duration::from_millis(150);

/// One of a command's two output streams.
pub(super) struct Lane {
    which: Stream,
    masked: redact::Stream,
    kept: Kept,
    /// The number of pauses since the last output.
    pauses: u8,
}

impl Lane {
    pub(super) fn new(which: Stream, redactor: &Redactor) -> Self {
        let masked = redact::Stream::new(redactor.clone());
        Self { which, masked, kept: Kept::default(), pauses: u8::MAX }
    }

    /// Adds output.
    pub(super) fn push(&mut self, bytes: &[u8], call: &Running<'_>) {
        self.pauses = 0;
        let text = self.masked.push(bytes);
        self.tell(text, call);
    }

    /// Handles a pause. If there was no output in it, an incomplete line is shown once, as far as that reveals no
    /// secret.
    pub(super) fn pause(&mut self, call: &Running<'_>) {
        self.pauses = self.pauses.saturating_add(1);
        if self.pauses == 2 {
            let text = self.masked.pause();
            self.tell(text, call);
        }
    }

    /// Ends the stream, and returns what was kept.
    pub(super) fn finish(mut self, call: &Running<'_>) -> Kept {
        let rest = std::mem::take(&mut self.masked).finish();
        self.tell(rest, call);
        self.kept
    }

    fn tell(&mut self, text: String, call: &Running<'_>) {
        if text.is_empty() {
            return;
        }
        self.kept.push(&text);
        call.host.tell(What::Output { id: call.id.to_owned(), stream: self.which, text });
    }
}
