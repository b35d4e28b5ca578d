//! Tracks which callers wait for which run.
//!
//! A run ends when the last caller who waits for it disconnects, unless a caller had asked for
//! it to be kept (`Prefer: respond-async`). Several callers can share a run through an idempotency
//! key.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::id::RunId;
use tokio::runtime::Handle;

use crate::service::Service;

/// The waiting callers of all runs in flight.
#[derive(Clone)]
pub(super) struct Attachments(Arc<Inner>);

struct Inner {
    service: Service,
    /// Written by [`Attachments`] and [`Attached`]; guards the decision to cancel. An entry lives
    /// as long as a caller waits, or, for a kept run, as long as the run.
    ties: Mutex<HashMap<RunId, Ties>>,
}

#[derive(Debug, Default)]
struct Ties {
    callers: usize,
    kept: bool,
}

/// One waiting caller. Dropping it before [`Attached::release`] means that the caller has disconnected.
pub(super) struct Attached {
    attachments: Attachments,
    run: RunId,
    is_over: bool,
}

impl Attachments {
    pub(super) fn new(service: Service) -> Self {
        Self(Arc::new(Inner { service, ties: Mutex::default() }))
    }

    /// Registers a waiting caller.
    pub(super) fn attach(&self, run: RunId) -> Attached {
        self.ties().entry(run).or_default().callers += 1;
        Attached { attachments: self.clone(), run, is_over: false }
    }

    /// Keeps the run when all callers disconnect.
    pub(super) fn keep(&self, run: RunId) {
        self.ties().entry(run).or_default().kept = true;
        let attachments = self.clone();
        tokio::spawn(async move {
            // The result does not matter: the run is over.
            let _ = attachments.0.service.wait(run, None).await;
            attachments.ties().remove(&run);
        });
    }

    /// Removes one caller; returns whether it was the last one of a run that is not kept.
    fn detach(&self, run: RunId) -> bool {
        let mut ties = self.ties();
        let Some(tie) = ties.get_mut(&run) else { return false };
        tie.callers = tie.callers.saturating_sub(1);
        let is_nobodys = tie.callers == 0 && !tie.kept;
        if is_nobodys {
            ties.remove(&run);
        }
        is_nobodys
    }

    fn ties(&self) -> MutexGuard<'_, HashMap<RunId, Ties>> {
        // Each change is one step, so a panic elsewhere cannot leave an inconsistent state.
        self.0.ties.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attached {
    /// Marks the run as ended, so that it is not cancelled.
    pub(super) fn release(&mut self) {
        self.is_over = true;
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        let is_nobodys = self.attachments.detach(self.run);
        // Without a runtime the daemon is ending, and its runs with it.
        if let (true, false, Ok(runtime)) = (is_nobodys, self.is_over, Handle::try_current()) {
            runtime.spawn(cancel(self.attachments.0.service.clone(), self.run));
        }
    }
}

async fn cancel(service: Service, run: RunId) {
    tracing::info!(run.id = %run, "caller of run {run} left; cancelling it");
    if let Err(failure) = service.cancel(run).await {
        let code = failure.error.code.as_str();
        tracing::warn!(run.id = %run, code, "run {run} could not be cancelled");
    }
}
