//! The operations behind the HTTP layer: accept, wait, cancel, look up. Does not know HTTP.
//!
//! An accepted run is its own task, so that it ends and is recorded even if its caller has disconnected.

mod accept;
mod advice;
mod folder;
mod inner;
mod narrate;
mod overview;
mod plan;
mod readiness;
mod refusal;
mod registry;
mod run;
mod task;
mod turn;
mod workspace;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use contract::event::Event;
use contract::failure::{Failure, FailureCode, Violation};
use contract::id::{RunId, SessionId};
use contract::key::IdempotencyKey;
use contract::orchestrate::Orchestration;
use contract::outcome::Outcome;
use contract::readiness::Readiness;
use contract::run::{Accepted, RunPage, RunRecord, RunState, RunSummary, SessionRecord};
use contract::workspace::Workspace;
use futures_util::Stream;
use redact::Redactor;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::{Admission, Refused};
use crate::advisor::question::{self, Question};
use crate::advisor::turn::Turn;
use crate::codex::Codex;
use crate::config::Config;
use crate::events::EventHub;
use crate::metrics::Metrics;
use crate::request::{AckMode, Request, RunFilter};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::record::Accept;
use accept::Call;
use inner::{Inner, Settings};
use plan::PlanUse;
use registry::Runs;

/// The service behind the HTTP layer. Cheap to clone.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

/// Result of a wait.
#[derive(Debug, Clone, PartialEq)]
pub enum Settled {
    /// The run has ended.
    Done(Outcome),
    /// It continues.
    Pending(RunSummary),
}

/// The components that the service uses.
pub struct Dependencies {
    /// The durable record.
    pub store: Store,
    /// Finds and probes Codex.
    pub codex: Codex,
    /// Masks text before it leaves the daemon.
    pub redactor: Redactor,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// File with the strict JSON Schema of the answer, which Codex reads.
    pub output_schema: PathBuf,
}

impl Service {
    /// Creates the service and removes run folders of an earlier daemon from the state folder.
    ///
    /// # Errors
    /// The folder of runs could not be cleared.
    pub fn new(config: &Config, parts: Dependencies) -> std::io::Result<Self> {
        folder::clear(&config.state_dir)?;
        let settings = Settings {
            state_dir: config.state_dir.clone(),
            output_schema: parts.output_schema,
            model: config.codex.model.clone(),
            shell: config.codex.shell,
            workspace_roots: config.codex.workspace_roots.clone(),
            orchestrate_sandbox: config.codex.orchestrate_sandbox,
            deadline: config.limits.deadline,
            deadline_max: config.limits.deadline_max,
            turn: config.limits.turn,
            stall: config.limits.stall,
        };
        Ok(Self(Arc::new(Inner {
            settings,
            events: EventHub::new(parts.store.clone()),
            store: parts.store,
            admission: Admission::new(config.limits.max_running, config.limits.max_queued),
            codex: parts.codex,
            redactor: parts.redactor,
            metrics: parts.metrics,
            runs: Runs::default(),
            plan: PlanUse::default(),
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
        })))
    }

    /// Updates the metrics with the Codex in use.
    pub fn observe_codex(&self) {
        self.0.observe_codex();
    }

    /// Masks the caller's text in a violation.
    #[must_use]
    pub fn mask(&self, violation: Violation) -> Violation {
        question::mask_violation(violation, &self.0.redactor)
    }

    /// Masks a report that is returned without a run.
    #[must_use]
    pub fn mask_report(&self, report: Orchestration) -> Orchestration {
        crate::advisor::turn::masked(report, &self.0.redactor)
    }

    /// Stores the run and starts its task.
    ///
    /// # Errors
    /// Every refusal by the rules of session, admission and idempotency.
    ///
    /// # Cancel safety
    /// If the call is dropped, the run is cancelled, unless the request has an idempotency
    /// key, with which the caller can come back for it.
    pub async fn submit(
        &self,
        request: Request,
        body_hash: [u8; 32],
        key: Option<IdempotencyKey>,
        ack_mode: AckMode,
        workspace: Option<Workspace>,
    ) -> Result<Accepted, Failure> {
        workspace::check(&self.0.settings, &request)?;
        if let (Some(_), Some(session)) = (&workspace, request.session_id()) {
            self.session(session, workspace.as_ref()).await?;
        }
        let workspace = workspace.or_else(|| request.folder().and_then(Workspace::of));
        let accepted = Instant::now();
        let deadline = accepted + self.0.timeout(&request);
        let ticket = match self.0.admission.enter() {
            Ok(ticket) => ticket,
            Err(refused) => return self.replay(key, body_hash, &refused).await,
        };
        self.0.observe_load();

        let cancel = CancellationToken::new();
        let abandoned = key.is_none().then(|| cancel.clone().drop_guard());
        let inner = Arc::clone(&self.0);
        let call = Call { body_hash, key, ack_mode, workspace, ticket, accepted, deadline, cancel };
        // In its own task: a run that the store has accepted must be played even if the caller
        // disconnects between the two steps.
        let accepting = match request {
            Request::Analyze(input) => self.0.tasks.spawn(async move {
                let question = Question::mask(*input, &inner.redactor);
                inner.accept(question, call).await
            }),
            Request::Orchestrate(input) => self.0.tasks.spawn(async move {
                let turn = Turn::mask(*input, &inner.redactor);
                inner.accept(turn, call).await
            }),
        };
        let answer = accepting.await.unwrap_or_else(|error| {
            tracing::error!(%error, "accepting a run failed");
            Err(Failure::new(FailureCode::Internal, "the run could not be accepted; ask again"))
        });
        if let Some(guard) = abandoned {
            guard.disarm();
        }
        match answer? {
            (run_id, Some(session_id)) => {
                Ok(Accepted { run_id, session_id, state: RunState::Queued })
            }
            (run_id, None) => self.accepted(run_id).await,
        }
    }

    /// If there is no place for new work, a repeated request still gets its existing run.
    async fn replay(
        &self,
        key: Option<IdempotencyKey>,
        body_hash: [u8; 32],
        refused: &Refused,
    ) -> Result<Accepted, Failure> {
        let Some(key) = key else { return Err(refusal::of_admission(refused)) };
        match self.0.store.replay(key, body_hash).await {
            Ok(Some(Accept::Replayed(run))) => self.accepted(run).await,
            Ok(Some(Accept::Refused(refusal))) => Err(refusal::of_session(&refusal)),
            Ok(Some(Accept::New(_)) | None) => Err(refusal::of_admission(refused)),
            Err(error) => Err(refusal::of_store(&error)),
        }
    }

    async fn accepted(&self, run_id: RunId) -> Result<Accepted, Failure> {
        let run = self.run(run_id).await?.run;
        Ok(Accepted { run_id, session_id: run.session_id, state: run.state })
    }

    /// Waits for the run's end, without limit or for `timeout`.
    ///
    /// # Errors
    /// `not_found`, `store_failed`.
    ///
    /// # Cancel safety
    /// The run continues.
    pub async fn wait(&self, run: RunId, timeout: Option<Duration>) -> Result<Settled, Failure> {
        if let Some(live) = self.0.runs.live(run) {
            let ended = live.ended();
            let seen = match timeout {
                None => Some(ended.await),
                Some(timeout) => tokio::time::timeout(timeout, ended).await.ok(),
            };
            return match seen {
                Some(Some(outcome)) => Ok(Settled::Done(Outcome::clone(&outcome))),
                Some(None) => Err(Failure::new(
                    FailureCode::Internal,
                    "the run ended without an outcome; ask again",
                )),
                None => Ok(Settled::Pending(self.run(run).await?.run)),
            };
        }
        if let Some(outcome) = self.0.runs.kept(run) {
            return Ok(Settled::Done(Outcome::clone(&outcome)));
        }
        let record = self.run(run).await?;
        if !record.run.state.is_terminal() {
            return Ok(Settled::Pending(record.run));
        }
        record.ended().map(Settled::Done).ok_or_else(|| {
            Failure::new(
                FailureCode::NotFound,
                format!(
                    "run {run} has {}, but its text was not kept (`store.bodies` is off)",
                    record.run.state.as_str()
                ),
            )
        })
    }

    /// Cancels the run and returns after all its processes have ended.
    ///
    /// # Errors
    /// `not_found`, `store_failed`.
    ///
    /// # Cancel safety
    /// The run is cancelled nevertheless.
    pub async fn cancel(&self, run: RunId) -> Result<RunSummary, Failure> {
        if let Some(live) = self.0.runs.live(run) {
            live.cancel.cancel();
            live.ended().await;
        }
        Ok(self.run(run).await?.run)
    }

    /// One run in full.
    ///
    /// # Errors
    /// `not_found`, `store_failed`.
    pub async fn run(&self, run: RunId) -> Result<RunRecord, Failure> {
        let found = self.0.store.run(run).await.map_err(|error| refusal::of_store(&error))?;
        let mut record = found.ok_or_else(|| refusal::unknown_run(run))?;
        if record.run.state.is_terminal() && record.outcome.is_none() {
            record.outcome = self.0.runs.kept(run).map(|outcome| outcome.body());
        }
        if !record.run.state.is_terminal() {
            record.progress = self.0.events.progress(run);
        }
        Ok(record)
    }

    /// A page of the history.
    ///
    /// # Errors
    /// `store_failed`.
    pub async fn runs(&self, filter: RunFilter) -> Result<RunPage, Failure> {
        self.0.store.runs(filter).await.map_err(|error| refusal::of_store(&error))
    }

    /// Checks that the run belongs to the project; without a project every run passes.
    ///
    /// # Errors
    /// `not_found` if it does not, as for a run that does not exist; `store_failed`.
    pub async fn check_scope(&self, run: RunId, scope: Option<Workspace>) -> Result<(), Failure> {
        let Some(scope) = scope else { return Ok(()) };
        let record = self.run(run).await?;
        if record.run.workspace == Some(scope) { Ok(()) } else { Err(refusal::unknown_run(run)) }
    }

    /// One session, limited to the project if one is given.
    ///
    /// # Errors
    /// `unknown_session`, `store_failed`.
    pub async fn session(
        &self,
        id: SessionId,
        scope: Option<&Workspace>,
    ) -> Result<SessionRecord, Failure> {
        let session = self.0.store.session(id).await.map_err(|error| refusal::of_store(&error))?;
        let is_seen = |session: &SessionRecord| {
            let mut runs = session.runs.iter();
            scope.is_none() || runs.all(|run| run.workspace.as_ref() == scope)
        };
        session.filter(is_seen).ok_or_else(|| {
            Failure::new(FailureCode::UnknownSession, format!("no such session: {id}"))
        })
    }

    /// The run's events after `after`: replayed, then live, including volatile ones; ends after the
    /// terminal event.
    ///
    /// # Errors
    /// `not_found`, `store_failed`.
    pub async fn events(
        &self,
        run: RunId,
        after: u64,
    ) -> Result<impl Stream<Item = Event> + Send + 'static, Failure> {
        self.0.events.subscribe(run, after).await.map_err(|error| match error {
            StoreError::UnknownRun { .. } => refusal::unknown_run(run),
            other => refusal::of_store(&other),
        })
    }

    /// Whether the daemon can do its work.
    pub async fn readiness(&self) -> Readiness {
        readiness::look(&self.0).await
    }

    /// Shuts down: refuses new runs, lets those in flight continue for `grace` or until `now` is cancelled, then cancels
    /// them; returns when every run has ended and is recorded.
    pub async fn drain(&self, grace: Duration, now: &CancellationToken) {
        self.0.admission.close();
        self.0.tasks.close();
        tracing::info!(runs = self.0.runs.len(), "draining: new runs are refused");
        // Every arm is cancel safe: the runs are tasks of their own.
        tokio::select! {
            () = self.0.tasks.wait() => return,
            () = tokio::time::sleep(grace) => {}
            () = now.cancelled() => {}
        }
        tracing::warn!(runs = self.0.runs.len(), "the grace period is over: ending the runs left");
        self.0.closing.cancel();
        self.0.tasks.wait().await;
    }
}
