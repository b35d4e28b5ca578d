//! Turns a call into a run: submits it to the store and, if it is accepted, starts its task.

use std::sync::Arc;

use contract::failure::Failure;
use contract::id::{RunId, SessionId};
use contract::key::IdempotencyKey;
use contract::workspace::Workspace;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::inner::Inner;
use super::refusal;
use super::registry::Done;
use super::run::{self, RunInput};
use super::task::Task;
use crate::admission::Ticket;
use crate::request::AckMode;
use crate::session::Refusal;
use crate::store::record::{Accept, NewRun};

/// The call's data besides the request itself.
pub(super) struct Call {
    /// Hash of the request as received.
    pub(super) body_hash: [u8; 32],
    pub(super) key: Option<IdempotencyKey>,
    pub(super) ack_mode: AckMode,
    /// The project that the request comes from.
    pub(super) workspace: Option<Workspace>,
    pub(super) ticket: Ticket,
    pub(super) accepted: Instant,
    pub(super) deadline: Instant,
    pub(super) cancel: CancellationToken,
}

impl Inner {
    /// Submits a run of the task to the store and starts it if it is accepted. For a repeated request
    /// the session is absent.
    pub(super) async fn accept<T: Task>(
        self: Arc<Self>,
        task: T,
        call: Call,
    ) -> Result<(RunId, Option<SessionId>), Failure> {
        let Call { body_hash, key, ack_mode, workspace, ticket, accepted, deadline, cancel } = call;
        let run_id = RunId::generate();
        let request = task.request();
        let new = NewRun { run_id, request, body_hash, key, ack_mode, workspace };
        // Registered before the store has the run, so that a reader of the store finds it in flight.
        let done = match self.runs.enter(run_id, cancel.clone(), task.thread()) {
            Ok(done) => done,
            Err(holder) => return self.replay_beside(holder, new).await,
        };
        let log = self.events.begin(run_id);
        let accept = self.store.accept(new).await;
        if !matches!(accept, Ok(Accept::New(_))) {
            self.runs.withdraw(run_id);
        }
        let lease = match accept {
            Ok(Accept::New(lease)) => lease,
            Ok(Accept::Replayed(run)) => return Ok((run, None)),
            Ok(Accept::Refused(refusal)) => return Err(refusal::of_session(&refusal)),
            Err(error) => return Err(refusal::of_store(&error)),
        };
        let session_id = lease.session_id;
        let part = RunInput { lease, task, ticket, accepted, deadline, cancel, log };
        self.begin(part, done);
        Ok((run_id, Some(session_id)))
    }

    fn begin<T: Task>(self: Arc<Self>, part: RunInput<T>, done: Done) {
        let run = part.lease.run_id;
        let cancel = part.cancel.clone();
        let inner = Arc::clone(&self);
        self.tasks.spawn(async move {
            let played = run::run(&inner, part);
            tokio::pin!(played);
            let outcome = tokio::select! {
                outcome = &mut played => outcome,
                () = inner.closing.cancelled() => {
                    cancel.cancel();
                    played.await
                }
            };
            inner.runs.leave(run, Arc::clone(&outcome));
            done.send_replace(Some(outcome));
        });
    }

    /// While another run uses the thread, only a repeated request is answered.
    async fn replay_beside(
        &self,
        holder: RunId,
        new: NewRun,
    ) -> Result<(RunId, Option<SessionId>), Failure> {
        let known = match new.key {
            Some(key) => self.store.replay(key, new.body_hash).await,
            None => Ok(None),
        };
        match known {
            Ok(Some(Accept::Replayed(run))) => Ok((run, None)),
            Ok(Some(Accept::Refused(refusal))) => Err(refusal::of_session(&refusal)),
            Ok(Some(Accept::New(_)) | None) => {
                Err(refusal::of_session(&Refusal::SessionBusy { run_id: holder }))
            }
            Err(error) => Err(refusal::of_store(&error)),
        }
    }
}
