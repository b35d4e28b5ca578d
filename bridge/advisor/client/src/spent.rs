//! A round that has had both of its attempts: asking once more would pay a third time (ADV-17). What the bridge
//! kept of it is the answer then. Every caller that asks for a model goes through here; a program that speaks HTTP
//! itself decides for itself.

use std::time::{Duration, SystemTime};

use contract::failure::{Failure, FailureKind};
use contract::input::AdvisorInput;
use contract::outcome::Outcome;
use contract::run::{RunKind, RunState, RunSummary, headline};
use tokio::time::Instant;

use crate::client::{Client, RunQuery};

/// Attempts that a round has, over everything that asks.
const ATTEMPTS_MAX: u8 = 2;
/// How long a round counts that opened a session of its own: it is known again by its first line alone.
const COUNTS_FOR: Duration = Duration::from_secs(600);
/// How many failed runs are looked at, newest first.
const LOOKED_AT: u16 = 20;
/// What is added to what the bridge said then.
const KEPT: &str = " (kept: the bridge has tried twice for this round, so nothing was asked again; a person can ask anew \
                    with `codex-advisor ask --again`)";

impl Client {
    /// Looks whether this round may still be asked.
    ///
    /// # Errors
    /// The failure of the round that the bridge kept, where it tried twice; the bridge's own failure, where it
    /// cannot be asked at all. Where nothing is known, because the operator keeps no texts, the round may be asked.
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

/// In a session its phase tells a round; a round that opens one is told by project, phase and first line.
fn is_this_round(run: &RunSummary, input: &AdvisorInput) -> bool {
    let is_same = run.kind == RunKind::Analyze && run.phase == input.phase;
    let opens = || {
        run.problem.as_deref() == Some(headline(&input.problem).as_str())
            && age(run).is_none_or(|age| age < COUNTS_FOR)
    };
    is_same && (input.session_id.is_some() || opens())
}

/// Since the run was accepted: its id has the time.
fn age(run: &RunSummary) -> Option<Duration> {
    let (seconds, _) = run.run_id.as_uuid().get_timestamp()?.to_unix();
    let accepted = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
    // A clock that was set back makes it new.
    Some(SystemTime::now().duration_since(accepted).unwrap_or_default())
}
