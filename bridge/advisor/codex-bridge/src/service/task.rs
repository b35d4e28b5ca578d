//! What a run does, whichever route it came by: the masked request, how it is put to Codex, and what
//! its caller gets.

use std::path::Path;
use std::time::Duration;

use codex_driver::SandboxMode;
use codex_driver::home::user;
use contract::advice::{Meta, RedactionCount, Report, Usage};
use contract::failure::Failure;
use contract::id::ThreadId;
use contract::orchestrate::{Answered, Orchestration, Sandbox};
use contract::run::RunKind;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use redact::Redactor;
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use super::folder::RunFolder;
use super::types::Request;
use super::{Inner, Outcome};
use crate::advisor::Consultation;
use crate::advisor::next::Opening;
use crate::advisor::prompt::FirstRound;
use crate::advisor::question::Question;
use crate::advisor::subject::{Answer, Earlier, Subject};
use crate::advisor::turn::Turn;
use crate::codex::Ready;
use crate::store::record::{RunLease, Transcript};

/// A masked request.
pub(super) enum Task {
    /// A question for advice.
    Advice(Question),
    /// A turn of the user's own Codex.
    Turn(Turn),
}

impl Task {
    /// Masks a request.
    pub(super) fn mask(request: Request, redactor: &Redactor) -> Self {
        match request {
            Request::Analyze(input) => Self::Advice(Question::mask(*input, redactor)),
            Request::Orchestrate(input) => Self::Turn(Turn::mask(*input, redactor)),
        }
    }

    /// The masked request, for the store.
    pub(super) fn request(&self) -> Request {
        match self {
            Self::Advice(question) => Request::Analyze(Box::new(question.input().clone())),
            Self::Turn(turn) => Request::Orchestrate(Box::new(turn.input().clone())),
        }
    }

    /// The thread that the task goes on in, where its caller named one.
    pub(super) fn thread(&self) -> Option<ThreadId> {
        match self {
            Self::Advice(_) => None,
            Self::Turn(turn) => turn.input().thread_id,
        }
    }

    /// What was masked, by kind.
    pub(super) fn redactions(&self) -> Vec<RedactionCount> {
        match self {
            Self::Advice(question) => question.redactions().to_vec(),
            Self::Turn(turn) => turn.redactions().to_vec(),
        }
    }

    /// What is weaker than asked from the start.
    pub(super) fn limits(&self, lease: &RunLease) -> Vec<String> {
        match self {
            Self::Advice(question) => stateless(lease, question),
            Self::Turn(_) => Vec::new(),
        }
    }

    /// The Codex that the task needs.
    ///
    /// # Cancel safety
    /// A look that was cut short is made again by the next run.
    pub(super) async fn codex(kind: RunKind, inner: &Inner) -> Result<Ready, Failure> {
        match kind {
            RunKind::Analyze => inner.codex.ready().await,
            RunKind::Orchestrate => inner.codex.user().await,
        }
    }

    /// The consultation of a run.
    pub(super) async fn consultation(
        &self,
        inner: &Inner,
        lease: &RunLease,
        deadline: Instant,
        ready: &Ready,
        folder: &RunFolder,
    ) -> Consultation {
        let request = self.request();
        let options = request.options();
        let (opening, usage_before) = match self {
            Self::Advice(_) => of_session(lease, ready),
            Self::Turn(turn) => of_thread(turn.input().thread_id, ready).await,
        };
        let (subject, workdir, sandbox) = match self {
            Self::Advice(question) => {
                let workspace = question.input().workspace.clone();
                let subject = Subject::Advice {
                    question: Box::new(question.clone()),
                    earlier: earlier(lease),
                    output_schema: inner.settings.output_schema.clone(),
                };
                (subject, workspace.unwrap_or_else(|| folder.workdir()), SandboxMode::ReadOnly)
            }
            Self::Turn(turn) => {
                let workspace = turn.input().workspace.clone();
                let sandbox = match turn.input().sandbox {
                    Some(Sandbox::ReadOnly) => SandboxMode::ReadOnly,
                    // More than the operator allows was refused before.
                    Some(Sandbox::WorkspaceWrite) | None => inner.settings.orchestrate_sandbox,
                };
                (Subject::Turn(Box::new(turn.clone())), workspace, sandbox)
            }
        };
        Consultation {
            run_id: lease.run_id,
            subject,
            opening,
            usage_before,
            model: options.model.clone(),
            reasoning_effort: options.reasoning_effort,
            workdir,
            temp_dir: folder.temp_dir(),
            sandbox,
            deadline,
            stall: inner.settings.stall,
        }
    }

    /// What the caller gets.
    pub(super) fn outcome(&self, result: Result<Answer, Failure>, meta: Meta) -> Outcome {
        match (result, self) {
            (Ok(Answer::Advice(advice)), _) => {
                Outcome::Advice(Box::new(Report { advice: *advice, meta }))
            }
            (Ok(Answer::Text(text)), task) => {
                let answered = Answered {
                    text,
                    usage: meta.usage,
                    thread_id: meta.codex.thread_id,
                    limits: meta.limits.clone(),
                };
                let report = task.orchestration();
                Outcome::Turn(Box::new(report.answered(answered, &meta)))
            }
            (Err(failure), _) => Outcome::Failure(failure.with_meta(meta)),
        }
    }

    /// The report that an answer goes into.
    fn orchestration(&self) -> Orchestration {
        let (prompt, workspace) = match self {
            Self::Turn(turn) => match &turn.input().orchestration {
                Some(report) => return report.clone(),
                None => (turn.input().prompt.as_str(), turn.input().workspace.as_path()),
            },
            Self::Advice(question) => (question.input().problem.as_str(), Path::new("")),
        };
        let now = Timestamp::now();
        let run_id = orchestration_id(now, prompt, workspace);
        Orchestration::none(&run_id, &now.to_string(), prompt)
    }
}

/// As the orchestrator names its runs: the time, and what was asked where.
fn orchestration_id(now: Timestamp, prompt: &str, workspace: &Path) -> String {
    let mut hash = Sha256::new();
    hash.update(prompt.as_bytes());
    hash.update([0]);
    hash.update(workspace.as_os_str().as_encoded_bytes());
    let digest = hash.finalize();
    let time = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d-%H%M%S");
    format!("{time}-{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2])
}

/// How long the record of a thread may be looked for. It takes milliseconds; a turn whose tokens are
/// not known is better than none.
const RECORD_LIMIT: Duration = Duration::from_secs(5);

/// Where a turn of the user's own begins, and the tokens of its thread before it.
async fn of_thread(thread: Option<ThreadId>, ready: &Ready) -> (Opening, Option<Usage>) {
    let Some(thread) = thread else { return (Opening::New, Some(Usage::default())) };
    let opening = Opening::Continued {
        thread,
        can_fork: ready.version.supports_fork(),
        // The caller sees what became of its turns, and goes on in the thread all the same.
        touched: false,
    };
    let home = ready.driver.home().to_owned();
    let looking = tokio::task::spawn_blocking(move || user::usage_of_thread(&home, thread));
    let found = tokio::time::timeout(RECORD_LIMIT, looking).await;
    (opening, found.ok().and_then(Result::ok).flatten())
}

/// Where a round of a session begins, and the tokens of its thread before it.
fn of_session(lease: &RunLease, ready: &Ready) -> (Opening, Option<Usage>) {
    let previous = lease.previous.as_deref();
    let thread = previous
        .and_then(|previous| previous.thread)
        .filter(|thread| thread.transcript == Transcript::Saved);
    let opening = match (previous, thread) {
        (Some(previous), Some(thread)) => Opening::Continued {
            thread: thread.id,
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

fn stateless(lease: &RunLease, question: &Question) -> Vec<String> {
    let opens = lease.previous.is_none();
    match (question.phase(), opens) {
        (contract::input::Phase::Final, true) => vec![
            "no session_id was given: the advisor saw this round only, and the session ends with it".into(),
        ],
        (_, _) => Vec::new(),
    }
}
