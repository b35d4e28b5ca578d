//! The task of a request for advice.

use codex_driver::SandboxMode;
use contract::advice::{Meta, RedactionCount, Report, Usage};
use contract::failure::Failure;
use contract::id::ThreadId;
use contract::input::{Options, Phase};
use contract::outcome::Outcome;
use contract::run::RunKind;
use redact::Redactor;
use tracing::{Span, error_span};

use super::folder::RunFolder;
use super::inner::Inner;
use super::task::{Beginning, Task};
use crate::advisor::prompt::FirstRound;
use crate::advisor::question::Question;
use crate::advisor::retry::Opening;
use crate::advisor::subject::{Earlier, Inquiry, Subject};
use crate::codex::Ready;
use crate::request::Request;
use crate::store::record::{RunLease, Transcript};

impl Task for Question {
    type Subject = Inquiry;

    const KIND: RunKind = RunKind::Analyze;

    fn options(&self) -> &Options {
        &self.input().options
    }

    fn phase(&self) -> Phase {
        Self::phase(self)
    }

    fn request(&self) -> Request {
        Request::Analyze(Box::new(self.input().clone()))
    }

    /// The thread is determined by the session.
    fn thread(&self) -> Option<ThreadId> {
        None
    }

    fn redactions(&self) -> &[RedactionCount] {
        Self::redactions(self)
    }

    fn limits(&self, lease: &RunLease) -> Vec<String> {
        match (self.phase(), lease.previous.is_none()) {
            (Phase::Final, true) => vec![
                "no session_id was given: the advisor saw this round only, and the session ends with it".into(),
            ],
            (_, _) => Vec::new(),
        }
    }

    fn span(lease: &RunLease) -> Span {
        let RunLease { run_id, session_id, round, .. } = lease;
        error_span!("analyze", run.id = %run_id, session.id = %session_id, session.round = round.number)
    }

    fn narrated(_: &Redactor) -> Option<&Redactor> {
        None
    }

    async fn codex(inner: &Inner) -> Result<Ready, Failure> {
        inner.codex.ready().await
    }

    async fn beginning(
        &self,
        inner: &Inner,
        lease: &RunLease,
        ready: &Ready,
        folder: &RunFolder,
    ) -> Beginning<Inquiry> {
        let (opening, usage_before) = of_session(lease, ready);
        let workspace = self.input().workspace.clone();
        Beginning {
            subject: Inquiry {
                question: self.clone(),
                earlier: earlier(lease),
                output_schema: inner.settings.output_schema.clone(),
            },
            opening,
            usage_before,
            workdir: workspace.unwrap_or_else(|| folder.workdir()),
            sandbox: SandboxMode::ReadOnly,
        }
    }

    fn outcome(&self, advice: &<Inquiry as Subject>::Answer, meta: Meta) -> Outcome {
        Outcome::Advice(Box::new(Report { advice: (**advice).clone(), meta }))
    }
}

/// The start of a session's round, and the tokens of its thread so far.
fn of_session(lease: &RunLease, ready: &Ready) -> (Opening, Option<Usage>) {
    let previous = lease.previous.as_deref();
    let thread = previous
        .and_then(|previous| previous.thread)
        .filter(|thread| thread.transcript == Transcript::Saved);
    let opening = match (previous, thread) {
        (Some(previous), Some(thread)) => Opening::Continued {
            thread: thread.id,
            last_turn: thread.last_turn,
            can_fork: ready.version.supports_fork(),
            touched: previous.failed_tries > 0,
        },
        (_, _) => Opening::New,
    };
    (opening, Some(thread.and_then(|thread| thread.usage_total).unwrap_or_default()))
}

fn earlier(lease: &RunLease) -> Earlier {
    match lease.previous.as_deref() {
        None => Earlier::None,
        Some(previous) => match (&previous.question, &previous.advice) {
            (Some(question), Some(advice)) => Earlier::Kept(Box::new(FirstRound {
                question: question.clone(),
                advice: advice.clone(),
            })),
            (_, _) => Earlier::NotKept,
        },
    }
}
