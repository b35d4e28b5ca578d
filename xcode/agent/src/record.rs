//! The journal during a turn: the first write failure is reported to the user, and the turn continues in
//! memory.

use contract::id::SessionId;
use contract::xc::{Entry, SessionSummary, What};
use redact::Redactor;

use crate::host::Host;
use crate::journal::{Journal, JournalError};

/// The journal of a session.
pub(crate) struct Record {
    journal: Journal,
    /// Whether a line could not be written; the user was told.
    is_broken: bool,
}

impl Record {
    pub(crate) fn new(journal: Journal) -> Self {
        Self { journal, is_broken: false }
    }

    pub(crate) fn id(&self) -> SessionId {
        self.journal.id()
    }

    /// Adds a line and returns its number. The journal keeps a line that cannot be written, and writes
    /// it before the next one.
    pub(crate) fn append(&mut self, host: &dyn Host, entry: Entry) -> u64 {
        match self.journal.append(entry) {
            Ok(_) if self.is_broken => {
                self.is_broken = false;
                let text = "The journal is written again; nothing is missing in it.".to_owned();
                host.tell(What::Note { text });
            }
            Ok(_) => {}
            Err(error) => self.broke(host, &error),
        }
        self.journal.last()
    }

    /// Masks the following lines with `redactor`.
    pub(crate) fn set_redactor(&mut self, redactor: Redactor) {
        self.journal.set_redactor(redactor);
    }

    /// The summary of the session, made by code.
    pub(crate) fn summary(&self) -> SessionSummary {
        self.journal.summary()
    }

    /// Saves that summary.
    pub(crate) fn write_summary(&self, host: &dyn Host) {
        self.save(host, &self.journal.summary());
    }

    /// Saves a summary of the session.
    pub(crate) fn save(&self, host: &dyn Host, summary: &SessionSummary) {
        if let Err(error) = self.journal.save(summary) {
            let text = format!("The summary of the session cannot be written: {error}.");
            host.tell(What::Note { text });
        }
    }

    fn broke(&mut self, host: &dyn Host, error: &JournalError) {
        if !self.is_broken {
            self.is_broken = true;
            let text = format!(
                "The journal cannot be written: {error}. The session goes on in memory only."
            );
            host.tell(What::Note { text });
        }
    }
}
