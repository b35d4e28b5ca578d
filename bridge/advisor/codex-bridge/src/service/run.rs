//! One run, from its place in the queue to its stored outcome. Every run ends with an outcome.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codex_driver::{AttemptEnd, Progress, Sign};
use contract::advice::{CodexMeta, DriverKind, Meta, Usage};
use contract::event::Entry;
use contract::failure::{Failure, FailureCode};
use contract::id::ThreadId;
use contract::outcome::Outcome;
use jiff::Timestamp;
use supervise::SignalSent;
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::folder::RunFolder;
use super::inner::Inner;
use super::narrate::{millis, title, told};
use super::task::{Beginning, Task};
use crate::admission::{NotAdmitted, Ticket};
use crate::advisor::subject::Subject;
use crate::advisor::{Consultation, Consulted, KeptThread, Step};
use crate::codex::Ready;
use crate::events::{LOOK_EVERY, RunLog};
use crate::metrics::{AttemptSample, RunSample};
use crate::proof::{Proof, Standing};
use crate::store::record::{Ending, Finish, RunFacts, RunLease, Thread, Transcript};
use host::ErrorChain;

/// Input of a run.
pub(super) struct RunInput<T> {
    pub(super) lease: RunLease,
    pub(super) task: T,
    pub(super) ticket: Ticket,
    pub(super) accepted: Instant,
    pub(super) deadline: Instant,
    pub(super) cancel: CancellationToken,
    pub(super) log: RunLog,
}

/// A run in progress.
struct Play<'p, T> {
    inner: &'p Arc<Inner>,
    lease: &'p RunLease,
    task: &'p T,
    accepted: Instant,
    deadline: Instant,
    cancel: CancellationToken,
    log: RunLog,
    account: Account,
}

/// Measurements of the run for its `meta`.
#[derive(Default)]
struct Account {
    attempts: u8,
    queued: Duration,
    version: Option<String>,
    thread_id: Option<ThreadId>,
    driver: Option<DriverKind>,
    thread: Option<KeptThread>,
    usage: Option<Usage>,
    /// From acceptance to the first event of the model's provider.
    first_event: Option<Duration>,
    limits: Vec<String>,
}

/// The answer type of a task.
type Answer<T> = <<T as Task>::Subject as Subject>::Answer;

/// Plays the run: waits for a worker, consults Codex, records the outcome.
pub(super) async fn run<T: Task>(inner: &Arc<Inner>, part: RunInput<T>) -> Arc<Outcome> {
    let RunInput { lease, task, ticket, accepted, deadline, cancel, log } = part;
    let span = T::span(&lease);
    let account = Account { limits: task.limits(&lease), ..Account::default() };
    let (lease, task) = (&lease, &task);
    let play = Play { inner, lease, task, accepted, deadline, cancel, log, account };
    async move {
        let mut play = play;
        let result = play.result(ticket).await;
        inner.observe_load();
        play.end(result.map_err(|failure| inner.why_cancelled(failure))).await
    }
    .instrument(span)
    .await
}

impl<T: Task> Play<'_, T> {
    /// Produces the answer or the failure.
    async fn result(&mut self, ticket: Ticket) -> Result<Answer<T>, Failure> {
        self.log.tell(&Entry::Queued {
            session_id: self.lease.session_id,
            round: self.lease.round.number,
            kind: T::KIND,
        });
        let waited = ticket.wait(self.deadline, &self.cancel).await;
        self.account.queued = self.accepted.elapsed();
        let _permit = waited.map_err(never_started)?;
        let standby = self.inner.codex.stand_by(self.lease.run_id);
        match self.prepare().await {
            Ok((ready, folder)) => self.consult(ready.with_standby(standby), folder).await,
            Err(failure) => {
                if let Some(standby) = standby {
                    standby.end().await;
                }
                Err(failure)
            }
        }
    }

    /// Records and counts the outcome.
    async fn end(self, result: Result<Answer<T>, Failure>) -> Arc<Outcome> {
        let code = result.as_ref().err().map(|failure| failure.error.code);
        let ending = code.map_or(Ending::Advice, Ending::Failure);
        let duration = self.accepted.elapsed();
        let mut meta = self.meta(code, duration);
        let Self { inner, lease, task, log, account, .. } = self;
        let outcome_of = |meta: Meta| match &result {
            Ok(answer) => task.outcome(answer, meta),
            Err(failure) => Outcome::Failure(failure.clone().with_meta(meta)),
        };
        let mut outcome = outcome_of(meta.clone());
        let finish = Finish {
            ending,
            outcome: outcome.body(),
            thread: kept(account.thread, account.thread_id),
            duration,
            facts: facts(&meta, account.first_event),
        };
        let run = lease.run_id;
        if let Err(error) = log.finish(finish).await {
            tracing::error!(error = %ErrorChain(&error), "the end of run {run} could not be stored");
            meta.limits.push("this answer is not stored yet: if the daemon ends before the disk is writable again, the run is lost".into());
            outcome = outcome_of(meta);
        }
        inner.metrics.observe_run(RunSample {
            state: ending.state(),
            code,
            queued: account.queued,
            total: duration,
            usage: account.usage,
        });
        tracing::info!(
            kind = T::KIND.as_str(),
            state = ending.state().as_str(),
            code = code.map(FailureCode::as_str),
            attempts = account.attempts,
            queue_ms = millis(account.queued),
            duration_ms = millis(duration),
            "run {run} {}",
            ending.state().as_str(),
        );
        Arc::new(outcome)
    }

    fn meta(&self, code: Option<FailureCode>, duration: Duration) -> Meta {
        let Self { inner, lease, task, account, .. } = self;
        Meta {
            run_id: lease.run_id,
            session_id: lease.session_id,
            round: lease.round.number,
            rounds_left: match code {
                None => lease.round.left_after,
                Some(_) => lease.round.left_after + 1,
            },
            phase: task.phase(),
            attempts: account.attempts,
            duration_ms: millis(duration),
            queue_ms: millis(account.queued),
            codex: CodexMeta {
                version: account.version.clone(),
                model: task.options().model.clone().or_else(|| inner.settings.model.clone()),
                thread_id: account.thread_id,
                driver: account.driver,
            },
            usage: account.usage,
            limits: account.limits.clone(),
            redactions: task.redactions().to_vec(),
        }
    }

    /// The preparation: stores the start, probes Codex, creates the run's folder.
    async fn prepare(&mut self) -> Result<(Ready, RunFolder), Failure> {
        let Self { inner, lease, .. } = *self;
        inner.observe_load();
        match inner.store.start(lease.run_id).await {
            Ok(()) => {}
            // A full disk must not fail the run.
            Err(error) if error.is_medium() => {
                tracing::warn!(error = %ErrorChain(&error), "the start of a run could not be stored");
            }
            Err(error) => return Err(super::refusal::of_store(&error)),
        }
        self.log.tell(&Entry::Started { queue_ms: millis(self.account.queued) });
        let ready = look::<T>(inner, self.deadline, &self.cancel).await?;
        self.account.version = Some(ready.version.to_string());
        self.account.limits.extend(ready.proof.as_deref().and_then(unproven));
        let folder =
            RunFolder::create(&inner.settings.state_dir, lease.run_id).map_err(|error| {
                Failure::new(
                    FailureCode::StoreFailed,
                    format!("the run's folder could not be made: {error}"),
                )
            })?;
        Ok((ready, folder))
    }

    /// Consults Codex and records the measurements.
    async fn consult(&mut self, ready: Ready, folder: RunFolder) -> Result<Answer<T>, Failure> {
        let Self { inner, lease, task, .. } = *self;
        let beginning = task.beginning(inner, lease, &ready, &folder).await;
        let consultation = self.consultation(beginning, &folder);
        let consulted = self.listen(&ready, &consultation).await;
        // The caller need not wait for the removal.
        inner.tasks.spawn_blocking(move || drop(folder));
        let Consulted { result, attempts, thread, thread_id, driver, usage, limits } = consulted;
        self.account.attempts = attempts;
        self.account.thread = thread;
        self.account.thread_id = thread_id;
        self.account.driver = driver;
        self.account.usage = usage;
        self.account.limits.extend(limits);
        result
    }

    /// Consults Codex and publishes its progress.
    async fn listen(
        &mut self,
        ready: &Ready,
        consultation: &Consultation<T::Subject>,
    ) -> Consulted<Answer<T>> {
        let inner = self.inner;
        let narrated = T::narrated(&inner.redactor);
        // Steps and ticks come from this one task, so the lock is always free.
        let log = Mutex::new(&mut self.log);
        let (accepted, first_event) = (self.accepted, &mut self.account.first_event);
        let mut on_step = |step: Step<'_>| {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            match &step {
                Step::Codex(Progress::Sign(sign)) => {
                    if *sign != Sign::Asked {
                        first_event.get_or_insert_with(|| accepted.elapsed());
                    }
                    return log.hear(*sign);
                }
                Step::Codex(Progress::Written(written)) => {
                    return log.see(written, |part| title(part, &inner.redactor));
                }
                Step::Codex(Progress::Plan(windows)) => {
                    return inner.plan.told(*windows, Timestamp::now());
                }
                Step::Ended { end } => {
                    log.forget_model();
                    inner.metrics.observe_attempt(sample(end));
                    if end.skipped_lines > 0 {
                        tracing::warn!(
                            skipped_lines = end.skipped_lines,
                            "codex printed lines that are no event or too long",
                        );
                    }
                    if end.refused_requests > 0 {
                        tracing::warn!(
                            requests = end.refused_requests,
                            "codex asked for an approval or an input, and was refused",
                        );
                    }
                }
                _ => {}
            }
            told(&step, narrated).iter().for_each(|entry| log.tell(entry));
        };
        let driver = ready.driver.as_ref();
        let consulting = crate::advisor::consult(
            driver,
            &inner.redactor,
            consultation,
            &self.cancel,
            &mut on_step,
        );
        tokio::pin!(consulting);
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            // Both arms are cancel safe: the consultation is pinned, a tick is taken or stays.
            tokio::select! {
                consulted = &mut consulting => return consulted,
                _ = looks.tick() => log.lock().unwrap_or_else(PoisonError::into_inner).look(),
            }
        }
    }

    fn consultation(
        &self,
        beginning: Beginning<T::Subject>,
        folder: &RunFolder,
    ) -> Consultation<T::Subject> {
        let options = self.task.options();
        Consultation {
            run_id: self.lease.run_id,
            subject: beginning.subject,
            opening: beginning.opening,
            usage_before: beginning.usage_before,
            model: options.model.clone(),
            reasoning_effort: options.reasoning_effort,
            workdir: beginning.workdir,
            temp_dir: folder.temp_dir(),
            sandbox: beginning.sandbox,
            deadline: self.deadline,
            stall: self.inner.settings.stall,
        }
    }
}

/// How long a cancelled run lets a started probe of Codex continue. It takes a fraction of a second, the
/// next run can use its result, and its processes end in an orderly way.
const LOOK_GRACE: Duration = Duration::from_secs(1);

/// Finds the driver before the deadline.
async fn look<T: Task>(
    inner: &Inner,
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<Ready, Failure> {
    let looking = T::codex(inner);
    tokio::pin!(looking);
    // Every arm is cancel safe: the next run repeats an interrupted probe.
    tokio::select! {
        ready = &mut looking => ready,
        () = cancel.cancelled() => {
            let _ = tokio::time::timeout(LOOK_GRACE, looking).await;
            Err(cancelled())
        }
        () = tokio::time::sleep_until(deadline) => Err(too_late_for_codex()),
    }
}

/// Text for `meta.limits` if the Codex in use failed the self-test.
fn unproven(proof: &Proof) -> Option<String> {
    (proof.standing() == Standing::Refused).then(|| {
        let reasons = proof.reasons();
        format!(
            "codex {} failed the self-test and is allowed by codex.allow_unproven: {reasons}",
            proof.version
        )
    })
}

fn sample(end: &AttemptEnd) -> AttemptSample {
    AttemptSample {
        code: end.outcome.as_ref().err().map(|failure| failure.code),
        first_event: end.first_event,
        duration: end.duration,
        driver: end.driver,
        refused_requests: end.refused_requests,
        signal: end.signal.map(signal),
    }
}

fn signal(sent: SignalSent) -> &'static str {
    match sent {
        SignalSent::Interrupt => "interrupt",
        SignalSent::Kill => "kill",
    }
}

/// Metadata of a run, which is stored even if its texts are not.
fn facts(meta: &Meta, first_event: Option<Duration>) -> RunFacts {
    RunFacts {
        usage: meta.usage,
        model: meta.codex.model.clone(),
        driver: meta.codex.driver.map(|driver| driver.as_str().to_owned()),
        attempts: Some(meta.attempts),
        queue_ms: Some(meta.queue_ms),
        first_event_ms: first_event.map(millis),
    }
}

fn kept(thread: Option<KeptThread>, seen: Option<ThreadId>) -> Option<Thread> {
    let saved = thread.map(|thread| Thread {
        id: thread.thread_id,
        transcript: Transcript::Saved,
        usage_total: Some(thread.usage_total),
        last_turn: thread.last_turn,
    });
    saved.or_else(|| {
        seen.map(|id| Thread {
            id,
            transcript: Transcript::Lost,
            usage_total: None,
            last_turn: None,
        })
    })
}

fn never_started(error: NotAdmitted) -> Failure {
    match error {
        NotAdmitted::DeadlinePassed => Failure::new(
            FailureCode::Overloaded,
            "no worker became free before the deadline; ask again later, or raise `limits.max_running`",
        ),
        NotAdmitted::Cancelled => cancelled(),
    }
}

/// The failure of a run that was cancelled on request.
pub(super) fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "the run was cancelled, or its caller went away")
}

fn too_late_for_codex() -> Failure {
    Failure::new(
        FailureCode::Timeout,
        "the deadline passed while Codex was looked for; ask again with a longer timeout_ms",
    )
}
