//! One consultation: sends a question to Codex, validates the answer, and makes at most one second attempt.
//!
//! The question is either a request for advice or a turn of the user's own Codex, whose answer is free text.
//! This module does not know HTTP, the queue or the store. Advice is returned only after the contract's
//! validator has accepted it; text of a failed turn is never returned.

pub mod prompt;
pub mod question;
pub mod retry;
pub mod subject;
pub mod turn;

use std::path::PathBuf;
use std::time::Duration;

use codex_driver::{
    Attempt, AttemptEnd, AttemptFailure, Conversation, Driver, Progress, Retry, SandboxMode,
};
use contract::advice::{DriverKind, Usage};
use contract::failure::{Failure, FailureCode, Violation};
use contract::id::{RunId, ThreadId, TurnId};
use contract::input::ReasoningEffort;
use contract::limits::SUMMARY_MAX_BYTES;
use redact::{Cut, Redactor};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use retry::{Next, Opening, RetryCause};
use subject::Subject;

/// Runs one attempt with Codex; tests replace it.
pub trait Attempts: Sync {
    /// Runs one attempt.
    ///
    /// # Cancel safety
    /// Dropping the future ends every process of the attempt.
    fn attempt(
        &self,
        attempt: Attempt,
        cancel: &CancellationToken,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> impl Future<Output = AttemptEnd> + Send;
}

impl Attempts for Driver {
    async fn attempt(
        &self,
        attempt: Attempt,
        cancel: &CancellationToken,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> AttemptEnd {
        Driver::attempt(self, attempt, cancel, progress).await
    }
}

/// Input of one consultation: the question, the model settings and the deadline.
#[derive(Debug)]
pub struct Consultation<S> {
    /// The run it belongs to.
    pub run_id: RunId,
    /// The masked question.
    pub subject: S,
    /// Where the conversation begins.
    pub opening: Opening,
    /// The thread's tokens before this round, where they are known: Codex reports a thread's total
    /// (codex 0.169).
    pub usage_before: Option<Usage>,
    /// The model to use instead of the configured one.
    pub model: Option<String>,
    /// Reasoning effort of the model.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Folder Codex runs in: empty, or the workspace.
    pub workdir: PathBuf,
    /// The run's own temp folder.
    pub temp_dir: PathBuf,
    /// What Codex's commands may do.
    pub sandbox: SandboxMode,
    /// Deadline of the whole consultation, all attempts included.
    pub deadline: Instant,
    /// Silence of the provider after which an attempt counts as stalled.
    pub stall: Duration,
}

/// What happens during a consultation, for progress and metrics.
#[derive(Debug)]
pub enum Step<'s> {
    /// An attempt begins.
    Attempt {
        /// 1 or 2.
        number: u8,
    },
    /// Codex reported progress.
    Codex(Progress),
    /// An attempt has ended.
    Ended {
        /// How it ended, for the metrics.
        end: &'s AttemptEnd,
    },
    /// A second attempt follows.
    Again {
        /// Why the first attempt failed.
        code: FailureCode,
        /// Pause before the second attempt.
        pause: Duration,
    },
}

/// How a consultation ended.
#[derive(Debug)]
pub struct Consulted<A> {
    /// An answer that satisfies the contract, or the failure.
    pub result: Result<A, Failure>,
    /// Codex processes started.
    pub attempts: u8,
    /// The thread that holds the answer, if it can be resumed.
    pub thread: Option<KeptThread>,
    /// The thread that was last seen, resumable or not.
    pub thread_id: Option<ThreadId>,
    /// The driver of the last attempt.
    pub driver: Option<DriverKind>,
    /// This run's own tokens.
    pub usage: Option<Usage>,
    /// Restrictions of the answer, for `meta.limits`.
    pub limits: Vec<String>,
}

/// A thread that a later round can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptThread {
    /// Codex's id.
    pub thread_id: ThreadId,
    /// Its tokens so far.
    pub usage_total: Usage,
    /// The turn that holds the answer, where Codex named it.
    pub last_turn: Option<TurnId>,
}

/// Asks the question, and a second time where [`retry::after`] allows it.
///
/// # Cancel safety
/// Dropping the future ends every process it started; nothing is returned then.
pub async fn consult<S: Subject>(
    codex: &impl Attempts,
    redactor: &Redactor,
    consultation: &Consultation<S>,
    cancel: &CancellationToken,
    on_step: &mut (dyn FnMut(Step<'_>) + Send),
) -> Consulted<S::Answer> {
    let mut state = State::open(consultation);
    loop {
        state.attempts += 1;
        let span = tracing::error_span!("attempt", attempt = state.attempts);
        on_step(Step::Attempt { number: state.attempts });
        let attempt = state.attempt(consultation);
        let end = codex
            .attempt(attempt, cancel, &mut |progress| on_step(Step::Codex(progress)))
            .instrument(span.clone())
            .await;
        span.in_scope(|| on_step(Step::Ended { end: &end }));
        state.account(&end, redactor);

        let (trouble, failure) = match judge(&end, consultation, redactor) {
            Ok(answer) => return state.answered::<S>(answer, &end),
            Err(troubled) => troubled,
        };
        let remaining = consultation.deadline.saturating_duration_since(Instant::now());
        let has_acted = consultation.subject.has_acted(end.reach, consultation.sandbox);
        let step = if state.attempts >= ATTEMPTS_MAX || cancel.is_cancelled() || has_acted {
            Next::GiveUp
        } else {
            retry::after(&trouble, consultation.opening, remaining)
        };
        let code = failure.error.code;
        match step {
            Next::GiveUp => return state.failed(*failure),
            Next::Repair(thread) => {
                on_step(Step::Again { code, pause: Duration::ZERO });
                state.repair(thread, &end, &failure.error.details);
            }
            Next::Again { conversation, pause, restate } => {
                on_step(Step::Again { code, pause });
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = cancel.cancelled() => return state.failed(*failure),
                }
                state.again(conversation, restate, consultation);
            }
        }
    }
}

/// State that is carried from one attempt to the next.
struct State {
    attempts: u8,
    conversation: Conversation,
    prompt: String,
    /// The thread's total tokens before the current attempt, where known.
    usage_before: Option<Usage>,
    usage: Option<Usage>,
    thread_id: Option<ThreadId>,
    driver: Option<DriverKind>,
    limits: Vec<String>,
}

impl State {
    fn open<S: Subject>(consultation: &Consultation<S>) -> Self {
        let (conversation, restate) = consultation.opening.first();
        let mut state = Self {
            attempts: 0,
            prompt: consultation.subject.prompt(),
            usage_before: before(&conversation, consultation.usage_before),
            conversation,
            usage: None,
            thread_id: None,
            driver: None,
            limits: Vec::new(),
        };
        if restate {
            state.restate(consultation);
        }
        state
    }

    /// Sends round 1 again in the prompt, as far as it is known, and notes this in the limits.
    fn restate<S: Subject>(&mut self, consultation: &Consultation<S>) {
        let Some(line) = consultation.subject.forgotten(consultation.opening) else { return };
        if !self.limits.iter().any(|limit| limit == line) {
            self.limits.push(line.to_owned());
        }
        self.prompt = consultation.subject.restated();
    }

    fn attempt<S: Subject>(&self, consultation: &Consultation<S>) -> Attempt {
        Attempt {
            conversation: self.conversation,
            prompt: self.prompt.clone(),
            model: consultation.model.clone(),
            reasoning_effort: consultation.reasoning_effort,
            output_schema: consultation.subject.output_schema(),
            sandbox: consultation.sandbox,
            workdir: consultation.workdir.clone(),
            temp_dir: consultation.temp_dir.clone(),
            run_id: consultation.run_id,
            deadline: consultation.deadline,
            stall: consultation.stall,
        }
    }

    fn account(&mut self, end: &AttemptEnd, redactor: &Redactor) {
        self.thread_id = end.thread_id.or(self.thread_id);
        self.driver = Some(end.driver);
        if let Some((total, before)) = end.usage_total.zip(self.usage_before) {
            let own = difference(total, before);
            self.usage = Some(self.usage.unwrap_or_default().plus(own));
        }
        for warning in &end.warnings {
            let line = format!("codex warned: {}", question::mask_text(warning, redactor));
            tracing::warn!("{line}");
            if self.limits.len() < LIMITS_MAX && !self.limits.contains(&line) {
                self.limits.push(line);
            }
        }
    }

    fn repair(&mut self, thread: ThreadId, end: &AttemptEnd, violations: &[Violation]) {
        self.usage_before = end.usage_total.or(self.usage_before);
        self.conversation = Conversation::Resume(thread);
        self.prompt = prompt::repair(violations);
    }

    fn again<S: Subject>(
        &mut self,
        conversation: Conversation,
        restate: bool,
        consultation: &Consultation<S>,
    ) {
        if restate {
            self.restate(consultation);
        }
        self.usage_before = before(&conversation, consultation.usage_before);
        self.conversation = conversation;
    }

    fn answered<S: Subject>(mut self, answer: S::Answer, end: &AttemptEnd) -> Consulted<S::Answer> {
        let thread = match (end.transcript_saved, end.thread_id, end.usage_total) {
            (true, Some(thread_id), total) => {
                let usage_total = total.unwrap_or_default();
                Some(KeptThread { thread_id, usage_total, last_turn: end.turn_id })
            }
            (_, _, _) => {
                self.limits.push(S::UNSAVED.to_owned());
                None
            }
        };
        self.end(Ok(answer), thread)
    }

    fn failed<A>(self, failure: Failure) -> Consulted<A> {
        self.end(Err(failure), None)
    }

    fn end<A>(self, result: Result<A, Failure>, thread: Option<KeptThread>) -> Consulted<A> {
        Consulted {
            result,
            attempts: self.attempts,
            thread,
            thread_id: self.thread_id,
            driver: self.driver,
            usage: self.usage,
            limits: self.limits,
        }
    }
}

/// Most attempts of one consultation.
const ATTEMPTS_MAX: u8 = 2;

/// Most lines in `meta.limits`.
const LIMITS_MAX: usize = 8;

/// Returns the answer, or the cause for the retry decision and the failure to report if there is no retry.
fn judge<S: Subject>(
    end: &AttemptEnd,
    consultation: &Consultation<S>,
    redactor: &Redactor,
) -> Result<S::Answer, (RetryCause, Box<Failure>)> {
    match &end.outcome {
        Ok(answer) => consultation.subject.read(&answer.text, redactor).map_err(|violations| {
            let thread = end.thread_id.filter(|_| end.transcript_saved);
            let failure = bad_output(violations, &answer.text, redactor);
            (RetryCause::Unusable { thread }, Box::new(failure))
        }),
        Err(failure) => Err((trouble::<S>(failure, end), Box::new(failure_of(failure, redactor)))),
    }
}

fn trouble<S: Subject>(failure: &AttemptFailure, end: &AttemptEnd) -> RetryCause {
    match (failure.code, failure.retry) {
        (FailureCode::SessionLost, _) => RetryCause::ThreadLost,
        (_, Retry::Repair) if S::HAS_FORM => {
            RetryCause::Unusable { thread: end.thread_id.filter(|_| end.transcript_saved) }
        }
        // An empty last message has no form that a repair turn could correct.
        (_, Retry::Repair | Retry::Never) => RetryCause::Final,
        (_, Retry::Now) => RetryCause::Passing { after: Duration::ZERO },
        (_, Retry::After(after)) => RetryCause::Passing { after },
    }
}

fn failure_of(failure: &AttemptFailure, redactor: &Redactor) -> Failure {
    let answer = Failure::new(failure.code, failure.message.clone());
    match summary(&failure.raw, redactor) {
        Some(summary) => answer.with_summary(summary),
        None => answer,
    }
}

fn bad_output(violations: Vec<Violation>, text: &str, redactor: &Redactor) -> Failure {
    let violations = violations
        .into_iter()
        .map(|violation| question::mask_violation(violation, redactor))
        .collect();
    let failure = Failure::new(
        FailureCode::BadOutput,
        "codex answered, but its answer breaks the output contract: decide without it, or ask again",
    )
    .with_details(violations);
    match summary(text, redactor) {
        Some(summary) => failure.with_summary(summary),
        None => failure,
    }
}

/// Codex's message, masked and cut to [`SUMMARY_MAX_BYTES`]; `None` if it is empty.
fn summary(raw: &str, redactor: &Redactor) -> Option<String> {
    let cut = Cut::bytes(SUMMARY_MAX_BYTES).marked();
    Some(redactor.sanitize(raw.trim(), cut).text.into_owned()).filter(|text| !text.is_empty())
}

fn before(conversation: &Conversation, of_the_thread: Option<Usage>) -> Option<Usage> {
    match conversation {
        Conversation::Fresh => Some(Usage::default()),
        Conversation::Resume(_) | Conversation::Fork { .. } => of_the_thread,
    }
}

/// A thread's tokens since `before`. A total that is smaller than `before` means that the count was reset.
fn difference(total: Usage, before: Usage) -> Usage {
    if total.input_tokens < before.input_tokens || total.output_tokens < before.output_tokens {
        return total;
    }
    total.since(before)
}

#[cfg(test)]
mod tests;
