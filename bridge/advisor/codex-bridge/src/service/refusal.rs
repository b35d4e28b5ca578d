//! Converts a refusal into the failure that the caller gets.

use contract::failure::{Failure, FailureCode};
use contract::id::RunId;

use crate::admission::Refused;
use crate::session::Refusal;
use crate::store::error::StoreError;
use host::ErrorChain;

/// A rule of the session or of idempotency was broken.
pub(super) fn of_session(refusal: &Refusal) -> Failure {
    let code = match refusal {
        Refusal::UnknownSession => FailureCode::UnknownSession,
        Refusal::SessionExpired { .. } => FailureCode::SessionExpired,
        Refusal::SessionBusy { .. } => FailureCode::SessionBusy,
        Refusal::PhaseOrder { .. } => FailureCode::PhaseOrder,
        Refusal::RoundLimit => FailureCode::RoundLimit,
        Refusal::IdempotencyConflict { .. } => FailureCode::IdempotencyConflict,
    };
    Failure::new(code, refusal.to_string())
}

/// The queue is full, or the daemon is draining.
pub(super) fn of_admission(error: &Refused) -> Failure {
    match error {
        Refused::Overloaded { retry_after } => {
            Failure::new(FailureCode::Overloaded, error.to_string()).with_retry_after(*retry_after)
        }
        Refused::Draining => Failure::new(FailureCode::Draining, error.to_string()),
    }
}

/// No run has this id.
pub(super) fn unknown_run(run: RunId) -> Failure {
    Failure::new(FailureCode::NotFound, format!("no such run: {run}; GET /runs lists them"))
}

/// The store failed.
pub(super) fn of_store(error: &StoreError) -> Failure {
    if let StoreError::Busy = error {
        return Failure::new(FailureCode::Overloaded, error.to_string());
    }
    tracing::error!(error = %ErrorChain(error), "the store failed");
    Failure::new(
        FailureCode::StoreFailed,
        format!("the run could not be recorded: {error}; `codex-bridge doctor` says more"),
    )
}
