//! Follows a run until it ends, across lost connections and a restart of the daemon.

use std::time::Duration;

use contract::event::{Entry, Event, EventName};
use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::outcome::Outcome;
use contract::run::{RunKind, RunState};
use http::header::{HeaderName, HeaderValue};
use tokio::time::{Instant, sleep_until};

use crate::client::{Call, Client, Unanswered};
use crate::error::ClientError;

/// The timeout for the head of a stream's response.
const HEAD_LIMIT: Duration = Duration::from_secs(10);

/// The pauses between attempts to reach a daemon that has stopped.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
];

/// How a run is followed.
#[derive(Debug, Clone, Copy)]
pub struct Follow {
    /// When to stop following; the run continues.
    pub deadline: Instant,
    /// How long to wait for a daemon that has stopped to come back.
    pub patience: Duration,
}

/// The result of following a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Followed {
    /// The run has ended.
    Ended(Outcome),
    /// The run continues; the deadline has passed.
    Pending(RunState),
}

/// The progress of following.
struct Progress {
    /// The sequence number of the last event that was returned.
    last_seq: u64,
    /// From the first event.
    kind: RunKind,
    /// The last known state.
    state: RunState,
    /// Since when the daemon cannot be reached, and the number of attempts.
    lost: Option<(Instant, usize)>,
}

impl Client {
    /// Follows a run until it ends and reports its events, each logged one once and in order, and between them
    /// the volatile ones as they arrive. A broken connection
    /// is reopened where it stopped, also to a daemon that was restarted.
    ///
    /// # Errors
    /// The daemon's failure to return the run, such as `not_found`; `bridge_unreachable` if the
    /// daemon stopped and did not come back. The failure of the *run* is an [`Outcome`].
    ///
    /// # Cancel safety
    /// The run is not affected; it can be followed again.
    pub async fn follow(
        &self,
        run: RunId,
        follow: Follow,
        mut on_event: impl FnMut(&Event),
    ) -> Result<Followed, Failure> {
        let mut progress =
            Progress { last_seq: 0, kind: RunKind::default(), state: RunState::Queued, lost: None };
        loop {
            let trouble = match self.stream(run, follow, &mut progress, &mut on_event).await {
                Ok(Some(followed)) => return Ok(followed),
                // The stream ended early; the record decides.
                Ok(None) => None,
                Err(Unanswered::Failure(failure)) if is_busy(&failure) => None,
                Err(Unanswered::Failure(failure)) => return Err(failure),
                Err(Unanswered::ClientError(trouble)) => Some(trouble),
            };
            let trouble = match trouble {
                Some(trouble) => Some(trouble),
                None => match self.look(run, follow.deadline, &mut progress).await {
                    Ok(Some(followed)) => return Ok(followed),
                    Ok(None) => None,
                    Err(Unanswered::Failure(failure)) if is_busy(&failure) => None,
                    Err(Unanswered::Failure(failure)) => return Err(failure),
                    Err(Unanswered::ClientError(trouble)) => Some(trouble),
                },
            };
            let now = Instant::now();
            if now >= follow.deadline {
                return Ok(Followed::Pending(progress.state));
            }
            let (since, tries) = progress.lost.unwrap_or((now, 0));
            if let Some(trouble) = trouble {
                // The daemon has returned the run before, so another program responds at its address for a moment.
                let was_there =
                    progress.last_seq > 0 && !matches!(trouble, ClientError::NotKept { .. });
                if !trouble.may_pass() && !was_there {
                    return Err(trouble.failure());
                }
                let after = now - since;
                if after >= follow.patience {
                    let cause = trouble.to_string();
                    return Err(ClientError::LostRun { run, after, cause }.failure());
                }
                progress.lost = Some((since, tries + 1));
            }
            let pause = PAUSES[tries.min(PAUSES.len() - 1)];
            sleep_until((now + pause).min(follow.deadline)).await;
        }
    }

    /// Reads one stream of events; `None` if it ends before the run does.
    async fn stream(
        &self,
        run: RunId,
        follow: Follow,
        progress: &mut Progress,
        on_event: &mut impl FnMut(&Event),
    ) -> Result<Option<Followed>, Unanswered> {
        let mut call = Call::get(format!("/runs/{run}/events"));
        if progress.last_seq > 0 {
            let name = HeaderName::from_static("last-event-id");
            call = call.header(name, HeaderValue::from(progress.last_seq));
        }
        let mut stream = self.event_stream(call, follow.deadline, HEAD_LIMIT).await?;
        progress.lost = None;
        while let Some(event) = stream.next(follow.deadline).await? {
            progress.last_seq = progress.last_seq.max(event.seq.unwrap_or(0));
            if event.name.is_last() {
                // Without a body the record is fetched.
                return Ok(event.outcome(progress.kind).map(Followed::Ended));
            }
            if let Some(Entry::Queued { kind, .. }) = event.entry() {
                progress.kind = kind;
            }
            if event.name != EventName::Queued {
                progress.state = RunState::Running;
            }
            on_event(&event);
        }
        Ok(None)
    }

    /// Fetches the record; `None` if the run continues.
    async fn look(
        &self,
        run: RunId,
        deadline: Instant,
        progress: &mut Progress,
    ) -> Result<Option<Followed>, Unanswered> {
        // A little time after the deadline is allowed, to get an end that came before it.
        let limit = deadline.max(Instant::now() + Duration::from_secs(1));
        let record = self.record(run, Duration::ZERO, limit).await?;
        progress.lost = None;
        progress.state = record.run.state;
        if !progress.state.is_terminal() {
            return Ok(None);
        }
        match record.ended() {
            Some(outcome) => Ok(Some(Followed::Ended(outcome))),
            None => Err(ClientError::NotKept { run, state: progress.state.as_str() }.into()),
        }
    }
}

/// Whether the daemon only has too many readers, or is about to be replaced.
fn is_busy(failure: &Failure) -> bool {
    matches!(failure.error.code, FailureCode::Overloaded | FailureCode::Draining)
}
