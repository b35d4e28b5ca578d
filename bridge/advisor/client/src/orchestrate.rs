//! A turn of the user's own Codex, played while its caller stays: the run ends with the connection.

use std::time::Duration;

use contract::failure::{Failure, FailureCode};
use contract::id::RunId;
use contract::orchestrate::OrchestrateInput;
use contract::outcome::Outcome;
use http::header::{ACCEPT, HeaderValue};
use tokio::time::Instant;

use crate::client::{Call, Client, Unanswered, decode, stranger};
use crate::sse::{Event, Reader};
use crate::trouble::Trouble;

/// Longest wait for the head of the answer: the daemon writes the run down before.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// Silence after which the stream counts as dead: the daemon sends a comment each 15 s.
const SILENCE_LIMIT: Duration = Duration::from_secs(45);

/// What a turn tells while it is played.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnNews<'e> {
    /// It was accepted, as this run.
    Accepted(RunId),
    /// Something happened.
    Event(&'e Event),
}

impl Client {
    /// Plays a turn to its end.
    ///
    /// # Errors
    /// The daemon's refusal, or `bridge_unreachable`. The failure of the *turn* is an [`Outcome`].
    ///
    /// # Cancel safety
    /// A dropped call closes the connection, which ends the turn; [`Client::cancel`] waits until
    /// nothing of it is alive.
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
        let call = Call::post("/orchestrate", body)
            .header(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let (place, mut answer) = self.send(&call, deadline, HEAD_LIMIT).await?;
        let status = answer.status;
        if !answer.is_event_stream {
            let limit = deadline.min(Instant::now() + HEAD_LIMIT);
            let body = answer.whole(limit).await;
            let body = body.map_err(|fault| Trouble::of(fault, place.clone(), HEAD_LIMIT))?;
            // Only a failure is an answer of ours here.
            decode::<serde::de::IgnoredAny>(status, &body, &place)?;
            return Err(stranger(status, place).into());
        }
        let location = answer.content_location.as_deref();
        let run = location.and_then(|path| path.strip_prefix("/runs/")?.parse().ok());
        if let Some(run) = run {
            tell(TurnNews::Accepted(run));
        }
        let mut reader = Reader::default();
        loop {
            let limit = deadline.min(Instant::now() + SILENCE_LIMIT);
            let piece = answer.piece(limit).await;
            let piece = piece.map_err(|fault| Trouble::of(fault, place.clone(), SILENCE_LIMIT))?;
            let Some(piece) = piece else {
                let cause = "the stream of its events ended early".to_owned();
                return Err(Trouble::Lost { place, cause }.into());
            };
            if !reader.feed(&piece) {
                return Err(stranger(status, place).into());
            }
            while let Some(event) = reader.next() {
                if !event.is_last() {
                    tell(TurnNews::Event(&event));
                    continue;
                }
                return Outcome::from_body(&event.data)
                    .ok_or_else(|| stranger(status, place).into());
            }
        }
    }
}
