//! Standard output of a run: the answer, or its JSON. A closed pipe is not a failure.

use contract::id::SessionId;
use contract::xc::{EndReason, Event, RunResult, What};
use host::streams;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::args::OutputFormat;

/// Writes a run's standard output.
#[derive(Debug)]
pub(super) struct Output {
    format: OutputFormat,
    session: SessionId,
    /// The number of the next event.
    seq: u64,
}

impl Output {
    /// For a session, before its first event.
    pub(super) const fn new(format: OutputFormat, session: SessionId) -> Self {
        Self { format, session, seq: 0 }
    }

    /// Whether each event is printed; if so, standard error need not report it.
    pub(super) const fn has_events(&self) -> bool {
        matches!(self.format, OutputFormat::StreamJson)
    }

    /// Prints what the format requires for an event.
    pub(super) fn put(&mut self, at: Timestamp, what: What) {
        let session = self.session;
        match (self.format, what) {
            (OutputFormat::StreamJson, what) => {
                json(&Event { session, seq: self.seq, at: at.to_string(), what });
                self.seq += 1;
            }
            (OutputFormat::Json, What::End(end)) => json(&RunResult { session, end }),
            (OutputFormat::Text, What::End(end)) if end.reason == EndReason::Answered => {
                streams::print(&end.answer);
            }
            (OutputFormat::Json | OutputFormat::Text, _) => {}
        }
    }
}

fn json(value: &impl Serialize) {
    match serde_json::to_string(value) {
        Ok(line) => streams::print_json(&line),
        Err(error) => streams::note(&format!("xc: an event cannot be written: {error}")),
    }
}
