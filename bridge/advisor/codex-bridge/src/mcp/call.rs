//! One tool call, from its arguments to its result.

use std::time::Duration;

use client::{Client, Follow, Followed};
use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::input::{AdvisorInput, InputFault, parse_input};
use contract::key::IdempotencyKey;
use contract::limits::RUN_WAIT_MAX_MS;
use contract::outcome::Outcome;
use futures_util::future::join;
use rmcp::model::{CallToolResult, JsonObject};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use super::{answer, tools};

/// Timeout of requests that need no model. The client's own timeouts are shorter.
const SHORT: Duration = Duration::from_secs(20);

/// How long to wait for a daemon that disappeared to come back.
const PATIENCE: Duration = Duration::from_secs(15);

/// The context of a call, and the ways it can end early.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) client: Client,
    pub(super) progress: Progress,
    /// Cancelled when the caller cancels the call.
    pub(super) cancelled: CancellationToken,
    /// Cancelled when the session ends.
    pub(super) stop: CancellationToken,
}

impl Call {
    /// `consult_advisor`: starts a run and waits for its end. A call that ends early cancels its run.
    pub(super) async fn consult(self, arguments: JsonObject) -> CallToolResult {
        let input = match question(arguments) {
            Ok(input) => input,
            Err(failure) => return answer::failure(&failure),
        };
        if let Err(kept) = self.client.may_ask(&input, Instant::now() + SHORT).await {
            return answer::failure(&kept);
        }
        let key = IdempotencyKey::fresh(&input);
        // Must not be dropped: the run may have started, and without its id it could not be cancelled.
        let accepted = match self.client.submit(&input, &key, Instant::now() + SHORT).await {
            Ok(accepted) => accepted,
            Err(failure) => return answer::failure(&failure),
        };
        let run = accepted.run_id;
        tracing::info!(run.id = %run, "a run has begun");
        let client = self.client.clone();
        match self.follow(run, Duration::from_millis(RUN_WAIT_MAX_MS)).await {
            Some(result) => result,
            None => cancel(&client, run).await,
        }
    }

    /// `get_run`: reads a run without changing it.
    pub(super) async fn look(self, arguments: JsonObject) -> CallToolResult {
        let wish = match tools::run_wish(&arguments) {
            Ok(wish) => wish,
            Err(failure) => return answer::failure(&failure),
        };
        if wish.wait.is_zero() {
            let record = self.client.run(wish.run, Duration::ZERO, Instant::now() + SHORT).await;
            return match record {
                Ok(record) => answer::record(&record),
                Err(failure) => answer::failure(&failure),
            };
        }
        let gone =
            || Failure::new(FailureCode::Cancelled, "the call was cancelled; the run goes on");
        self.follow(wish.run, wish.wait).await.unwrap_or_else(|| answer::failure(&gone()))
    }

    /// Follows a run; `None` if the call is to end early.
    async fn follow(self, run: RunId, limit: Duration) -> Option<CallToolResult> {
        let follow = Follow { deadline: Instant::now() + limit, patience: PATIENCE };
        let (stages, telling) = self.progress.begin();
        let following = async {
            // The sender is dropped with the follower, which ends the progress task.
            self.client.follow(run, follow, move |event| stages.note(event)).await
        };
        // Dropping either future has no effect on the run.
        let (followed, ()) = tokio::select! {
            both = join(following, telling) => both,
            () = self.cancelled.cancelled() => return None,
            () = self.stop.cancelled() => return None,
        };
        Some(match followed {
            Ok(Followed::Ended(outcome)) => answer::outcome(&outcome),
            Ok(Followed::Pending(state)) => answer::pending(run, state, None),
            Err(failure) => answer::failure(&failure),
        })
    }
}

/// Has the daemon cancel a run whose caller no longer waits.
async fn cancel(client: &Client, run: RunId) -> CallToolResult {
    match client.cancel(run, Instant::now() + SHORT).await {
        Ok(summary) => {
            tracing::info!(run.id = %run, state = summary.state.as_str(), "the run was cancelled");
            let failure = Failure::new(FailureCode::Cancelled, format!("run {run} was cancelled"));
            answer::outcome(&Outcome::Failure(failure))
        }
        Err(failure) => {
            tracing::warn!(run.id = %run, code = failure.error.code.as_str(), "not cancelled");
            answer::failure(&failure)
        }
    }
}

/// Parses the arguments as a question; the failure lists all violations.
fn question(arguments: JsonObject) -> Result<AdvisorInput, Failure> {
    let body = serde_json::to_vec(&arguments)
        .map_err(|error| Failure::new(FailureCode::InvalidJson, error.to_string()))?;
    parse_input(&body).map_err(|fault| {
        let message = fault.to_string();
        match fault {
            InputFault::InvalidJson { .. } => Failure::new(FailureCode::InvalidJson, message),
            InputFault::Violations(violations) => {
                Failure::new(FailureCode::ContractViolation, message).with_details(violations)
            }
        }
    })
}
