//! Builds the result of an attempt from the end of its process.

use std::time::Duration;

use contract::advice::DriverKind;
use contract::id::TurnId;
use supervise::{Ended, SpawnError};
use tracing::field;

use crate::attempt::{Answer, AttemptEnd, AttemptFailure};
use crate::classify;
use crate::listening::Listening;
use crate::turn::Reach;

/// What the driver learned besides the turn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) driver: DriverKind,
    pub(super) turn_id: Option<TurnId>,
    /// Number of requests by Codex, all of them refused.
    pub(super) refused_requests: u64,
}

impl Told {
    /// For `codex exec`, which reports no turn id and makes no requests.
    pub(super) fn by_exec() -> Self {
        Self { driver: DriverKind::Exec, turn_id: None, refused_requests: 0 }
    }
}

/// For a process that ran.
pub(super) fn report(
    listening: Listening,
    ended: &Ended,
    outcome: Result<Answer, AttemptFailure>,
    told: Told,
) -> AttemptEnd {
    let log_records = listening.log_records();
    let Listening { turn, first_event, .. } = listening;
    tracing::debug!(
        codex.exit = ?ended.exit,
        codex.thread_id = turn.thread_id().map(field::display),
        codex.driver = told.driver.as_str(),
        duration_ms = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        stdout_bytes = ended.stdout_bytes,
        "codex has ended",
    );
    AttemptEnd {
        outcome,
        driver: told.driver,
        thread_id: turn.thread_id(),
        turn_id: told.turn_id,
        usage_total: turn.usage(),
        transcript_saved: turn.transcript_saved(),
        warnings: turn.warnings().to_vec(),
        reach: turn.reach(),
        first_event,
        log_records,
        duration: ended.duration,
        exit: Some(ended.exit),
        signal: ended.signal,
        stdout_bytes: ended.stdout_bytes,
        skipped_lines: turn.malformed_lines() + ended.long_lines,
        refused_requests: told.refused_requests,
    }
}

/// For a process that could not be started.
pub(super) fn not_started(
    error: &SpawnError,
    duration: Duration,
    driver: DriverKind,
) -> AttemptEnd {
    without_process(classify::not_started(error), duration, driver)
}

/// Of an attempt without a process.
pub(super) fn without_process(
    failure: AttemptFailure,
    duration: Duration,
    driver: DriverKind,
) -> AttemptEnd {
    AttemptEnd {
        outcome: Err(failure),
        driver,
        thread_id: None,
        turn_id: None,
        usage_total: None,
        transcript_saved: true,
        warnings: Vec::new(),
        reach: Reach::NotAsked,
        first_event: None,
        log_records: 0,
        duration,
        exit: None,
        signal: None,
        stdout_bytes: 0,
        skipped_lines: 0,
        refused_requests: 0,
    }
}
