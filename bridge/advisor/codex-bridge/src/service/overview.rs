//! Queries of the pages: lists, sums, and the progress of runs in flight. Nothing here changes a run.

use std::collections::BTreeMap;

use codex_driver::PlanWindow;
use contract::event::Event;
use contract::failure::Failure;
use contract::id::RunId;
use contract::run::RunKind;
use jiff::Timestamp;
use tokio::sync::watch;

use super::{Service, refusal};
use crate::admission::{Load, Room};
use crate::events::{Changes, Going};
use crate::store::error::StoreError;
use crate::store::record::{EventRest, RunFound, RunRow, RunSearch, RunText, UsageRow};

impl Service {
    /// Current load and capacity.
    #[must_use]
    pub fn load(&self) -> (Load, Room) {
        (self.0.admission.load(), self.0.admission.room())
    }

    /// The change counters, to wait on.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Changes> {
        self.0.events.changes()
    }

    /// Progress of a run; empty if it is not in flight.
    #[must_use]
    pub fn going(&self, run: RunId) -> Going {
        self.0.events.going(run)
    }

    /// Runs that have not ended, oldest first: running ones, then queued ones.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn live_rows(&self, kind: Option<RunKind>) -> Result<Vec<RunRow>, Failure> {
        found(self.0.store.live_rows(kind).await)
    }

    /// The `limit` runs that ended last, newest first.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn ended_rows(
        &self,
        kind: Option<RunKind>,
        limit: u32,
    ) -> Result<Vec<RunRow>, Failure> {
        found(self.0.store.ended_rows(kind, limit).await)
    }

    /// A page of the runs that match a search, newest first.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn search(&self, search: RunSearch) -> Result<RunFound, Failure> {
        found(self.0.store.search(search).await)
    }

    /// One run with its texts.
    ///
    /// # Errors
    /// `not_found`, `store_failed`, `overloaded`.
    pub async fn run_text(&self, run: RunId) -> Result<RunText, Failure> {
        found(self.0.store.run_text(run).await)?.ok_or_else(|| refusal::unknown_run(run))
    }

    /// When each event of a run was stored, in milliseconds since 1970, by its position.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn event_times(&self, run: RunId) -> Result<BTreeMap<u64, i64>, Failure> {
        found(self.0.store.event_times(run).await)
    }

    /// The models of the stored runs.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn models(&self) -> Result<Vec<String>, Failure> {
        found(self.0.store.models().await)
    }

    /// The cost of each ended run that was accepted since `from_ms`.
    ///
    /// # Errors
    /// `store_failed`, `overloaded`.
    pub async fn costs(
        &self,
        kind: Option<RunKind>,
        from_ms: i64,
    ) -> Result<Vec<UsageRow>, Failure> {
        found(self.0.store.costs(kind, from_ms).await)
    }

    /// The current windows of the account's plan as last reported by Codex, each with the time
    /// of the report.
    #[must_use]
    pub fn plan(&self, now: Timestamp) -> Vec<(PlanWindow, Timestamp)> {
        self.0.plan.at(now)
    }

    /// The stored events of a run, oldest first.
    ///
    /// # Errors
    /// `not_found`, `store_failed`.
    pub async fn stored_events(&self, run: RunId) -> Result<Vec<Event>, Failure> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().and_then(|event| event.seq).unwrap_or(0);
            let page = self.0.store.events_after(run, after).await;
            let page = page.map_err(|error| match error {
                StoreError::UnknownRun { .. } => refusal::unknown_run(run),
                other => refusal::of_store(&other),
            })?;
            events.extend(page.events);
            if page.rest != EventRest::More {
                return Ok(events);
            }
        }
    }
}

fn found<T>(answer: Result<T, StoreError>) -> Result<T, Failure> {
    answer.map_err(|error| refusal::of_store(&error))
}
