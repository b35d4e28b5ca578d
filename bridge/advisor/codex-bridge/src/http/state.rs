//! State shared by the handlers: the service, counters, access, and waiting callers.

use std::sync::Arc;

use contract::failure::FailureCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::access::Access;
use crate::http::attached::Attachments;
use crate::http::failure::Rejection;
use crate::metrics::Metrics;
use crate::service::Service;

/// State shared by the handlers.
pub(super) struct AppState {
    pub(super) service: Service,
    pub(super) metrics: Arc<Metrics>,
    pub(super) access: Access,
    /// Which callers wait for which run.
    pub(super) attachments: Attachments,
    /// One permit per request that waits for a run.
    pub(super) waiting: Arc<Semaphore>,
    /// Limits the memory of bodies in flight; see `body`.
    pub(super) bodies: Semaphore,
}

impl AppState {
    /// Masks a rejection that quotes the caller's input.
    pub(super) fn masked(&self, rejection: Rejection) -> Rejection {
        rejection.masked(|violation| self.service.mask(violation))
    }

    /// A permit to wait for a run; without one the request is refused at once.
    pub(super) fn wait_permit(&self) -> Result<OwnedSemaphorePermit, Rejection> {
        Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| {
            Rejection::new(
                FailureCode::Overloaded,
                "too many requests wait for runs; ask again, or use `Prefer: respond-async`",
            )
        })
    }
}
