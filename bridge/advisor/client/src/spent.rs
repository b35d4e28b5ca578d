//! Checks for a round that has used both of its attempts: another request would pay a third time (ADV-17). What the bridge
//! stored about it is the answer then. Every caller that needs a model calls this; programs that use HTTP
//! directly decide for themselves.

use std::time::{Duration, SystemTime};

use contract::failure::{Failure, FailureKind};
use contract::input::AdvisorInput;
use contract::outcome::Outcome;
use contract::run::{RunKind, RunState, RunSummary, headline};
use tokio::time::Instant;

use crate::client::{Client, RunQuery};

/// How many attempts a round has, over all callers.
const ATTEMPTS_MAX: u8 = 2;
/// How long a round that opened its own session is recognised: it is identified by its first line only.
const COUNTS_FOR: Duration = Duration::from_secs(600);
/// How many failed runs are examined, newest first.
const LOOKED_AT: u16 = 20;
/// Added to the bridge's former message.
const KEPT: &str = " (kept: the bridge has tried twice for this round, so nothing was asked again; a person can ask anew \
                    with `codex-advisor ask --again`)";

impl Client {
    /// Checks whether this round may still be requested.
    ///
    /// # Errors
    /// The stored failure of the round, if the bridge has tried twice; the bridge's own failure, if it
    /// is not available. If nothing is known, because the operator stores no texts, the round may be requested.
    pub async fn may_ask(&self, input: &AdvisorInput, deadline: Instant) -> Result<(), Failure> {
        let query = RunQuery {
            state: Some(RunState::Failed),
            session_id: input.session_id,
            before: None,
            limit: Some(LOOKED_AT),
        };
        let page = match self.runs(&query, deadline).await {
            Ok(page) => page,
            Err(failure) if failure.error.kind == FailureKind::BridgeFailure => {
                return Err(failure);
            }
            Err(_) => return Ok(()),
        };
        let Some(run) = page.runs.iter().find(|run| is_this_round(run, input)) else {
            return Ok(());
        };
        let Ok(record) = self.run(run.run_id, Duration::ZERO, deadline).await else {
            return Ok(());
        };
        let Some(Outcome::Failure(mut failure)) = record.ended() else { return Ok(()) };
        let attempts = failure.meta.as_ref().map_or(0, |meta| meta.attempts);
        if attempts < ATTEMPTS_MAX {
            return Ok(());
        }
        failure.error.retryable = false;
        failure.error.message.push_str(KEPT);
        Err(failure)
    }
}

/// Within a session, the phase identifies a round; a round that opens a session is identified by project, phase and first line.
fn is_this_round(run: &RunSummary, input: &AdvisorInput) -> bool {
    let is_same = run.kind == RunKind::Analyze && run.phase == input.phase;
    let opens = || {
        run.problem.as_deref() == Some(headline(&input.problem).as_str())
            && age(run).is_none_or(|age| age < COUNTS_FOR)
    };
    is_same && (input.session_id.is_some() || opens())
}

/// The time since the run was accepted, from its id.
fn age(run: &RunSummary) -> Option<Duration> {
    let (seconds, _) = run.run_id.as_uuid().get_timestamp()?.to_unix();
    let accepted = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
    // If the clock was set back, the run counts as new.
    Some(SystemTime::now().duration_since(accepted).unwrap_or_default())
}
