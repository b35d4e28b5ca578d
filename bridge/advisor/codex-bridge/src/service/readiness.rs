//! The readiness checks of the daemon, each with a hint how to fix it.

use contract::readiness::{Check, Readiness};

use super::inner::Inner;
use crate::checks;
use host::ErrorChain;

/// Checks everything that a question needs.
pub(super) async fn look(inner: &Inner) -> Readiness {
    let mut checks = vec![state(inner).await, queue(inner)];
    checks.extend(checks::codex(&inner.codex, inner.settings.shell).await);
    Readiness { ready: checks.iter().all(|check| check.ok), checks }
}

async fn state(inner: &Inner) -> Check {
    let name = "state_writable";
    match inner.store.probe().await {
        Ok(()) => Check::passed(name, "the store can be written"),
        Err(error) => Check::failed(name, ErrorChain(&error).to_string())
            .with_hint("free some space, or look at the folder that `state_dir` names"),
    }
}

fn queue(inner: &Inner) -> Check {
    let name = "queue_open";
    let load = inner.admission.load();
    if inner.admission.is_open() {
        Check::passed(name, format!("{} running, {} waiting", load.running, load.queued))
    } else {
        Check::failed(name, "the daemon is shutting down").with_hint("wait for the restart")
    }
}
