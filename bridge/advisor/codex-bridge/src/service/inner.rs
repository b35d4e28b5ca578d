//! State shared by the service's runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use codex_driver::SandboxMode;
use codex_driver::home::ShellAccess;
use contract::failure::{Failure, FailureCode};
use contract::run::RunKind;
use redact::Redactor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::plan::PlanUse;
use super::registry::Runs;
use crate::admission::Admission;
use crate::codex::Codex;
use crate::events::EventHub;
use crate::metrics::Metrics;
use crate::request::Request;
use crate::store::Store;

/// The parts of the daemon that a run uses.
pub(super) struct Inner {
    pub(super) settings: Settings,
    pub(super) store: Store,
    pub(super) events: EventHub,
    pub(super) admission: Admission,
    pub(super) codex: Codex,
    pub(super) redactor: Redactor,
    pub(super) metrics: Arc<Metrics>,
    pub(super) runs: Runs,
    pub(super) plan: PlanUse,
    pub(super) tasks: TaskTracker,
    /// Cancelled when the drain is over, which ends the remaining runs.
    pub(super) closing: CancellationToken,
}

/// The part of the configuration that the service uses.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) state_dir: PathBuf,
    pub(super) output_schema: PathBuf,
    pub(super) model: Option<String>,
    pub(super) shell: ShellAccess,
    pub(super) workspace_roots: Vec<PathBuf>,
    pub(super) orchestrate_sandbox: SandboxMode,
    pub(super) deadline: Duration,
    pub(super) deadline_max: Duration,
    pub(super) turn: Duration,
    pub(super) stall: Duration,
}

impl Inner {
    /// Replaces `cancelled` by `draining` for a run that was ended by the shutdown.
    pub(super) fn why_cancelled(&self, failure: Failure) -> Failure {
        if failure.error.code == FailureCode::Cancelled && self.closing.is_cancelled() {
            return Failure::new(
                FailureCode::Draining,
                "the bridge was stopped before the run had ended; ask again in a moment",
            );
        }
        failure
    }

    pub(super) fn observe_codex(&self) {
        if let Some(proof) = self.codex.proof() {
            self.metrics.set_codex(&proof);
        }
    }

    pub(super) fn observe_load(&self) {
        let load = self.admission.load();
        self.metrics.set_load(load.queued, load.running);
    }

    /// The timeout of a request.
    pub(super) fn timeout(&self, request: &Request) -> Duration {
        let asked = request.options().timeout_ms.map(Duration::from_millis);
        let (usual, most) = match request.kind() {
            RunKind::Analyze => (self.settings.deadline, self.settings.deadline_max),
            RunKind::Orchestrate => (self.settings.turn, self.settings.turn),
        };
        asked.unwrap_or(usual).min(most)
    }
}
