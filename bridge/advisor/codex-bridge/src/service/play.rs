//! One run, from its place in the queue to its stored outcome. Always ends, always with an outcome.

use std::sync::Arc;
use std::time::Duration;

use codex_driver::{AttemptEnd, Progress};
use contract::advice::{CodexMeta, Meta, Usage};
use contract::failure::{Failure, FailureCode};
use contract::id::ThreadId;
use contract::run::RunKind;
use redact::{Cut, Redactor};
use serde_json::{Value, json};
use supervise::Rung;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::folder::RunFolder;
use super::task::Task;
use super::{Inner, Outcome};
use crate::admission::{NotAdmitted, Ticket};
use crate::advisor::subject::Answer;
use crate::advisor::{Consulted, KeptThread, Step};
use crate::codex::Ready;
use crate::events::{EVENT_DATA_MAX_BYTES, PROGRESS, RunLog};
use crate::metrics::{AttemptSample, RunSample};
use crate::proof::{Proof, Standing};
use crate::store::record::{Ending, Finish, RunLease, Thread, Transcript};
use host::ErrorChain;

/// What a run needs to be played.
pub(super) struct Part {
    pub(super) lease: RunLease,
    pub(super) task: Task,
    pub(super) ticket: Ticket,
    pub(super) accepted: Instant,
    pub(super) deadline: Instant,
    pub(super) cancel: CancellationToken,
    pub(super) log: RunLog,
}

/// What is known of the run while it goes on, for its `meta`.
struct Account {
    attempts: u8,
    queued: Duration,
    version: Option<String>,
    thread_id: Option<ThreadId>,
    thread: Option<KeptThread>,
    usage: Option<Usage>,
    limits: Vec<String>,
}

/// Plays the run: waits for a worker, consults Codex, records the end.
pub(super) async fn play(inner: &Arc<Inner>, part: Part) -> Arc<Outcome> {
    let Part { lease, task, ticket, accepted, deadline, cancel, mut log } = part;
    let run = lease.run_id;
    log.append("queued", json!({ "session_id": lease.session_id, "round": lease.round.number }));

    let mut account = Account {
        attempts: 0,
        queued: Duration::ZERO,
        version: None,
        thread_id: None,
        thread: None,
        usage: None,
        limits: task.limits(&lease),
    };
    let waited = ticket.wait(deadline, &cancel).await;
    account.queued = accepted.elapsed();
    let result = match waited {
        Ok(permit) => {
            let result =
                consult(inner, &lease, &task, deadline, &cancel, &mut log, &mut account).await;
            drop(permit);
            result
        }
        Err(error) => Err(never_started(error)),
    };
    inner.observe_load();
    let result = result.map_err(|failure| inner.why_cancelled(failure));
    let code = result.as_ref().err().map(|failure| failure.error.code);
    let duration = accepted.elapsed();
    let request = task.request();
    let mut meta = Meta {
        run_id: run,
        session_id: lease.session_id,
        round: lease.round.number,
        rounds_left: match code {
            None => lease.round.left_after,
            Some(_) => lease.round.left_after + 1,
        },
        phase: request.phase(),
        attempts: account.attempts,
        duration_ms: millis(duration),
        queue_ms: millis(account.queued),
        codex: CodexMeta {
            version: account.version,
            model: request.options().model.clone().or_else(|| inner.settings.model.clone()),
            thread_id: account.thread_id,
        },
        usage: account.usage,
        limits: account.limits,
        redactions: task.redactions(),
    };
    let ending = code.map_or(Ending::Advice, Ending::Failure);
    let mut outcome = task.outcome(result.clone(), meta.clone());
    let finish = Finish {
        ending,
        outcome: outcome.body(),
        thread: kept(account.thread, account.thread_id),
        duration,
    };
    if let Err(error) = log.finish(finish).await {
        tracing::error!(run.id = %run, error = %ErrorChain(&error), "the end of run {run} could not be stored");
        meta.limits.push("this answer is not stored yet: if the daemon ends before the disk is writable again, the run is lost".into());
        outcome = task.outcome(result, meta);
    }
    inner.metrics.observe_run(RunSample {
        state: ending.state(),
        code,
        queued: account.queued,
        total: duration,
        usage: account.usage,
    });
    tracing::info!(
        run.id = %run,
        session.id = %lease.session_id,
        session.round = lease.round.number,
        kind = request.kind().as_str(),
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

/// How long a cancelled run waits for Codex to be looked at. It takes a fraction of a second, what it
/// finds serves the next run, and its processes are gone then.
const LOOK_GRACE: Duration = Duration::from_secs(1);

/// The driver, found before the deadline.
async fn look(
    inner: &Inner,
    kind: RunKind,
    deadline: Instant,
    cancel: &CancellationToken,
) -> Result<Ready, Failure> {
    let looking = Task::codex(kind, inner);
    tokio::pin!(looking);
    // Every arm is cancel safe: a look that was cut short is made again by the next run.
    tokio::select! {
        ready = &mut looking => ready,
        () = cancel.cancelled() => {
            let _ = tokio::time::timeout(LOOK_GRACE, looking).await;
            Err(cancelled())
        }
        () = tokio::time::sleep_until(deadline) => Err(too_late_for_codex()),
    }
}

/// From the permit to Codex's last word.
async fn consult(
    inner: &Arc<Inner>,
    lease: &RunLease,
    task: &Task,
    deadline: Instant,
    cancel: &CancellationToken,
    log: &mut RunLog,
    account: &mut Account,
) -> Result<Answer, Failure> {
    inner.observe_load();
    match inner.store.start(lease.run_id).await {
        Ok(()) => {}
        // A disk that is full now keeps nobody from an answer.
        Err(error) if error.is_medium() => {
            tracing::warn!(run.id = %lease.run_id, error = %ErrorChain(&error), "the start of a run could not be stored");
        }
        Err(error) => return Err(super::refusal::of_store(&error)),
    }
    log.append("started", json!({ "queue_ms": millis(account.queued) }));
    let ready = look(inner, task.request().kind(), deadline, cancel).await?;
    account.version = Some(ready.version.to_string());
    account.limits.extend(ready.proof.as_deref().and_then(unproven));
    let folder = RunFolder::create(&inner.settings.state_dir, lease.run_id).map_err(|error| {
        Failure::new(
            FailureCode::StoreFailed,
            format!("the run's folder could not be made: {error}"),
        )
    })?;
    let consultation = task.consultation(inner, lease, deadline, &ready, &folder).await;

    // What a turn of the user's own Codex says on its way is told. Of the advisor's only what the contract holds is.
    let words = match task {
        Task::Turn(_) => Some(&inner.redactor),
        Task::Advice(_) => None,
    };
    let mut on_step = |step: Step<'_>| {
        if let Step::Ended { end } = &step {
            inner.metrics.observe_attempt(sample(end));
            if end.skipped_lines > 0 {
                tracing::warn!(
                    run.id = %lease.run_id,
                    skipped_lines = end.skipped_lines,
                    "codex printed lines that are no event or too long",
                );
            }
        }
        if let Step::Codex(Progress::Message { text }) = &step {
            if let Some(redactor) = words {
                told(text, redactor).into_iter().for_each(|data| log.append(PROGRESS, data));
            }
        } else if let Some((event, data)) = entry(&step, words) {
            log.append(event, data);
        }
    };
    let consulted = crate::advisor::consult(
        ready.driver.as_ref(),
        &inner.redactor,
        &consultation,
        cancel,
        &mut on_step,
    )
    .await;
    // Nobody needs to wait for that.
    inner.tasks.spawn_blocking(move || drop(folder));
    let Consulted { result, attempts, thread, thread_id, usage, limits } = consulted;
    account.attempts = attempts;
    account.thread = thread;
    account.thread_id = thread_id;
    account.usage = usage;
    account.limits.extend(limits);
    result
}

/// What is said where a Codex is used that failed the self-test.
fn unproven(proof: &Proof) -> Option<String> {
    (proof.standing() == Standing::Refused).then(|| {
        let reasons = proof.reasons();
        format!(
            "codex {} failed the self-test and is allowed by codex.allow_unproven: {reasons}",
            proof.version
        )
    })
}

/// What the event log says of a step; nothing for what callers cannot use. What Codex does is told where its words
/// may be, masked by the redactor.
fn entry(step: &Step<'_>, words: Option<&Redactor>) -> Option<(&'static str, Value)> {
    Some(match step {
        Step::Attempt { number } => ("progress", json!({ "stage": "attempt", "attempt": number })),
        Step::Codex(Progress::ThreadStarted { thread_id }) => {
            ("thread", json!({ "thread_id": thread_id }))
        }
        Step::Codex(Progress::TurnStarted) => ("progress", json!({ "stage": "turn" })),
        Step::Codex(Progress::Item { kind, subject }) => {
            let mut data = json!({ "stage": "item", "item": kind });
            if let (Some(redactor), Some(subject)) = (words, subject) {
                let cut = Cut::chars(SUBJECT_MAX_CHARS).marked();
                data["subject"] = json!(redactor.sanitize(subject, cut).text);
            }
            ("progress", data)
        }
        Step::Codex(Progress::Reconnecting { .. }) => {
            ("progress", json!({ "stage": "reconnecting" }))
        }
        Step::Codex(Progress::TurnCompleted) => ("progress", json!({ "stage": "answered" })),
        Step::Codex(Progress::ProcessStarted { .. } | Progress::Message { .. })
        | Step::Ended { .. } => return None,
        Step::Again { code, pause } => {
            ("retry", json!({ "code": code, "pause_ms": millis(*pause) }))
        }
    })
}

/// Most of what a step is about that is told, in characters: one line of a terminal.
const SUBJECT_MAX_CHARS: usize = 200;

/// Most of one message that is told while a turn goes on, in bytes; the thread keeps all of it.
const MESSAGE_MAX_BYTES: usize = 16 * 1024;

/// Most text of one event, in bytes. As JSON it is at most twice as long, and fits [`EVENT_DATA_MAX_BYTES`].
const PIECE_MAX_BYTES: usize = EVENT_DATA_MAX_BYTES / 2 - 64;

/// The events that tell a message, masked: its pieces in order, each but the last with `more`.
fn told(text: &str, redactor: &Redactor) -> Vec<Value> {
    let masked = redactor.sanitize(text, Cut::bytes(MESSAGE_MAX_BYTES).marked()).text;
    let mut rest = masked.trim();
    let mut told = Vec::new();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_MAX_BYTES));
        told.push(json!({ "stage": "message", "text": piece, "more": !after.is_empty() }));
        rest = after;
    }
    told
}

fn sample(end: &AttemptEnd) -> AttemptSample {
    AttemptSample {
        code: end.outcome.as_ref().err().map(|failure| failure.code),
        first_event: end.first_event,
        duration: end.duration,
        rung: end.rung.map(rung),
    }
}

fn rung(rung: Rung) -> &'static str {
    match rung {
        Rung::Interrupt => "interrupt",
        Rung::Kill => "kill",
    }
}

fn kept(thread: Option<KeptThread>, seen: Option<ThreadId>) -> Option<Thread> {
    let saved = thread.map(|thread| Thread {
        id: thread.thread_id,
        transcript: Transcript::Saved,
        usage_total: Some(thread.usage_total),
    });
    saved.or_else(|| seen.map(|id| Thread { id, transcript: Transcript::Lost, usage_total: None }))
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

/// The run was ended on request.
pub(super) fn cancelled() -> Failure {
    Failure::new(FailureCode::Cancelled, "the run was cancelled, or its caller went away")
}

fn too_late_for_codex() -> Failure {
    Failure::new(
        FailureCode::Timeout,
        "the deadline passed while Codex was looked for; ask again with a longer timeout_ms",
    )
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_told_masked_in_pieces_that_fit_an_event() {
        let redactor = Redactor::new();
        let text = format!("{}é ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8", "\"\\\n".repeat(2_000));
        let told = told(&text, &redactor);
        assert!(told.len() > 2, "{}", told.len());
        let last = told.len() - 1;
        for (index, data) in told.iter().enumerate() {
            assert_eq!(data["more"], index < last, "{index}");
            assert!(data.to_string().len() <= EVENT_DATA_MAX_BYTES, "{index}");
        }
        let whole: String = told.iter().filter_map(|data| data["text"].as_str()).collect();
        assert!(whole.contains("é [REDACTED") && !whole.contains("ghp_a1"), "{whole}");
    }

    #[test]
    fn the_words_of_an_advisor_on_its_way_are_not_told() {
        let redactor = Redactor::new();
        let item = Progress::Item { kind: "web_search".into(), subject: Some("outbox".into()) };
        let step = Step::Codex(item);
        let (_, open) = entry(&step, Some(&redactor)).unwrap();
        assert_eq!(open["subject"], "outbox");
        let (_, closed) = entry(&step, None).unwrap();
        assert_eq!(closed, json!({ "stage": "item", "item": "web_search" }));
    }
}
