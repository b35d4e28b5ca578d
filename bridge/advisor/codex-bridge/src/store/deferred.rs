//! Outcomes of runs that could not be written because the medium failed.
//!
//! The response is sent nevertheless. The outcome is kept here, included in every read, and
//! written as soon as the medium accepts writes again.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::id::RunId;
use contract::run::RunSummary;

use super::codes;
use super::error::StoreError;
use super::lifecycle;
use super::record::{Finish, LastEvents};
use super::writer::Writer;

/// Maximum number of deferred outcomes. Beyond it the oldest is dropped; the next start marks that run as interrupted.
const DEFERRED_MAX: usize = 64;

/// An outcome that is not written yet.
#[derive(Debug, Clone)]
pub(super) struct DeferredEnd {
    pub(super) finish: Arc<Finish>,
    pub(super) end_seq: u64,
    /// When it ended, in milliseconds since 1970.
    pub(super) finished_at: i64,
}

/// The deferred outcomes, by run.
#[derive(Debug, Default)]
pub(super) struct Deferred(BTreeMap<RunId, DeferredEnd>);

impl Deferred {
    pub(super) fn get(&self, run_id: RunId) -> Option<&DeferredEnd> {
        self.0.get(&run_id)
    }

    pub(super) fn keep(&mut self, run_id: RunId, end: DeferredEnd) {
        self.0.insert(run_id, end);
        if self.0.len() > DEFERRED_MAX {
            self.0.pop_first();
        }
    }

    /// Completes a summary as if the outcome were written.
    pub(super) fn complete(&self, summary: &mut RunSummary) {
        if let Some(end) = self.get(summary.run_id) {
            summary.state = end.finish.ending.state();
            summary.code = end.finish.ending.code();
            summary.finished_at =
                jiff::Timestamp::from_millisecond(end.finished_at).ok().map(codes::rfc3339);
            summary.duration_ms =
                Some(u64::try_from(end.finish.duration.as_millis()).unwrap_or(u64::MAX));
        }
    }
}

impl Writer {
    /// Writes the deferred outcomes, oldest first, until the medium fails again.
    pub(super) fn retry_deferred(&self) {
        loop {
            let next =
                self.deferred.borrow().0.first_key_value().map(|(id, end)| (*id, end.clone()));
            let Some((run_id, end)) = next else { return };
            match self.write_deferred(run_id, &end) {
                Err(error) if error.is_medium() => return,
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(run.id = %run_id, error, "the end of run {run_id} was given up");
                }
                Ok(()) => tracing::info!(run.id = %run_id, "the end of run {run_id} is stored now"),
            }
            self.deferred.borrow_mut().0.remove(&run_id);
        }
    }

    fn write_deferred(&self, run_id: RunId, end: &DeferredEnd) -> Result<(), StoreError> {
        let last = LastEvents { events: Vec::new(), end_seq: Some(end.end_seq) };
        let transaction = self.connection.unchecked_transaction()?;
        lifecycle::finish(self, run_id, &end.finish, &last)?;
        Ok(transaction.commit()?)
    }
}
