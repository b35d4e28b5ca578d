//! Runs a turn of the user's own Codex while the caller is connected: the run ends with the connection.

use std::time::Duration;

use contract::event::Event;
use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::orchestrate::OrchestrateInput;
use contract::outcome::Outcome;
use contract::run::RunKind;
use tokio::time::Instant;

use crate::client::{Call, Client, Unanswered};

/// The timeout for the head of the response: the daemon records the run before.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// The news of a running turn.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnNews<'e> {
    /// It was accepted, as this run.
    Accepted(RunId),
    /// An event.
    Event(&'e Event),
}

impl Client {
    /// Runs a turn until it ends.
    ///
    /// # Errors
    /// The daemon's refusal, or `bridge_unreachable`. The failure of the *turn* is an [`Outcome`].
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed, which ends the turn; [`Client::cancel`] waits until
    /// none of its processes is alive.
    pub async fn orchestrate(
        &self,
        input: &OrchestrateInput,
        deadline: Instant,
        mut tell: impl FnMut(TurnNews<'_>),
    ) -> Result<Outcome, Failure> {
        let body = serde_json::to_vec(input).map_err(|error| {
            Failure::new(FailureCode::Internal, format!("the turn cannot be written: {error}"))
        })?;
        Ok(self.play(body, deadline, &mut tell).await?)
    }

    async fn play(
        &self,
        body: Vec<u8>,
        deadline: Instant,
        tell: &mut impl FnMut(TurnNews<'_>),
    ) -> Result<Outcome, Unanswered> {
        let call = Call::post("/orchestrate", body);
        let mut stream = self.event_stream(call, deadline, HEAD_LIMIT).await?;
        let run =
            stream.content_location().and_then(|path| path.strip_prefix("/runs/")?.parse().ok());
        if let Some(run) = run {
            tell(TurnNews::Accepted(run));
        }
        while let Some(event) = stream.next(deadline).await? {
            if event.name.is_last() {
                let outcome = event.outcome(RunKind::Orchestrate);
                return outcome.ok_or_else(|| stream.stranger().into());
            }
            tell(TurnNews::Event(&event));
        }
        Err(stream.cut().into())
    }
}
