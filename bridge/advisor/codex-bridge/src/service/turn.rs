//! The task of a turn of the user's own Codex.

use std::time::Duration;

use codex_driver::SandboxMode;
use codex_driver::home::user;
use contract::advice::{Meta, RedactionCount, Usage};
use contract::failure::Failure;
use contract::id::ThreadId;
use contract::input::{Options, Phase};
use contract::orchestrate::{Answered, Orchestration, Sandbox, identity};
use contract::outcome::Outcome;
use contract::run::RunKind;
use jiff::Timestamp;
use redact::Redactor;
use tracing::{Span, error_span};

use super::folder::RunFolder;
use super::inner::Inner;
use super::task::{Beginning, Task};
use crate::advisor::retry::Opening;
use crate::advisor::turn::Turn;
use crate::codex::Ready;
use crate::request::Request;
use crate::store::record::RunLease;

impl Task for Turn {
    type Subject = Self;

    const KIND: RunKind = RunKind::Orchestrate;

    fn options(&self) -> &Options {
        &self.input().options
    }

    fn phase(&self) -> Phase {
        Phase::Final
    }

    fn request(&self) -> Request {
        Request::Orchestrate(Box::new(self.input().clone()))
    }

    fn thread(&self) -> Option<ThreadId> {
        self.input().thread_id
    }

    fn redactions(&self) -> &[RedactionCount] {
        Self::redactions(self)
    }

    fn limits(&self, _: &RunLease) -> Vec<String> {
        Vec::new()
    }

    fn span(lease: &RunLease) -> Span {
        error_span!("orchestrate", run.id = %lease.run_id, session.id = %lease.session_id)
    }

    fn narrated(redactor: &Redactor) -> Option<&Redactor> {
        Some(redactor)
    }

    async fn codex(inner: &Inner) -> Result<Ready, Failure> {
        inner.codex.user().await
    }

    async fn beginning(
        &self,
        inner: &Inner,
        _: &RunLease,
        ready: &Ready,
        _: &RunFolder,
    ) -> Beginning<Self> {
        let (opening, usage_before) = of_thread(self.input().thread_id, ready).await;
        Beginning {
            subject: self.clone(),
            opening,
            usage_before,
            workdir: self.input().workspace.clone(),
            sandbox: match self.input().sandbox {
                Some(Sandbox::ReadOnly) => SandboxMode::ReadOnly,
                // A request for more than the operator allows was refused before.
                Some(Sandbox::WorkspaceWrite) | None => inner.settings.orchestrate_sandbox,
            },
        }
    }

    fn outcome(&self, text: &String, meta: Meta) -> Outcome {
        let answered = Answered {
            text: text.clone(),
            usage: meta.usage,
            thread_id: meta.codex.thread_id,
            limits: meta.limits.clone(),
        };
        let report = self.input().orchestration.clone().unwrap_or_else(|| unorchestrated(self));
        Outcome::Turn(Box::new(report.answered(answered, &meta)))
    }
}

/// The report of a turn for which no orchestrator ran.
fn unorchestrated(turn: &Turn) -> Orchestration {
    let input = turn.input();
    let now = Timestamp::now();
    let run_id = identity::run_id(now, &input.prompt, &input.workspace.to_string_lossy());
    Orchestration::none(run_id, identity::run_time(now), &input.prompt)
}

/// Time limit for searching a thread's record. It takes milliseconds; if it times out, the turn runs without
/// known tokens.
const RECORD_LIMIT: Duration = Duration::from_secs(5);

/// The start of a turn of the user's own Codex, and the tokens of its thread so far.
async fn of_thread(thread: Option<ThreadId>, ready: &Ready) -> (Opening, Option<Usage>) {
    let Some(thread) = thread else { return (Opening::New, Some(Usage::default())) };
    let opening = Opening::Continued {
        thread,
        last_turn: None,
        can_fork: ready.version.supports_fork(),
        // The caller knows whether its turns failed, and continues the thread anyway.
        touched: false,
    };
    let home = ready.driver.home().to_owned();
    let looking = tokio::task::spawn_blocking(move || user::usage_of_thread(&home, thread));
    let found = tokio::time::timeout(RECORD_LIMIT, looking).await;
    (opening, found.ok().and_then(Result::ok).flatten())
}
