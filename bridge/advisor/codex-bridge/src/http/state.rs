//! What the handlers share: the service, the counters, who may do what, and who waits.

use std::sync::Arc;

use contract::failure::FailureCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::http::access::Access;
use crate::http::attached::Attachments;
use crate::http::failure::Rejection;
use crate::metrics::Metrics;
use crate::service::Service;

/// What the handlers share.
pub(super) struct AppState {
    pub(super) service: Service,
    pub(super) metrics: Arc<Metrics>,
    pub(super) access: Access,
    /// Who waits for which run.
    pub(super) attachments: Attachments,
    /// One permit for each request that waits for a run.
    pub(super) waiting: Arc<Semaphore>,
    /// Bounds the memory that bodies in flight take; see `body`.
    pub(super) bodies: Semaphore,
}

impl AppState {
    /// What the caller is told about its own words goes through the same mask as they would.
    pub(super) fn masked(&self, rejection: Rejection) -> Rejection {
        rejection.masked(|violation| self.service.mask(violation))
    }

    /// A permit to wait for a run; the request that gets none is answered at once.
    pub(super) fn wait_permit(&self) -> Result<OwnedSemaphorePermit, Rejection> {
        Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| {
            Rejection::new(
                FailureCode::Overloaded,
                "too many requests wait for runs; ask again, or use `Prefer: respond-async`",
            )
        })
    }
}
