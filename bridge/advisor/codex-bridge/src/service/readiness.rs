//! Whether the daemon can do its work, check by check, each with how to mend it.

use super::{Check, Inner, Readiness};
use crate::checks::{self, failed, passed};
use host::ErrorChain;

/// Looks at everything that a question would need.
pub(super) async fn look(inner: &Inner) -> Readiness {
    let mut checks = vec![state(inner).await, queue(inner)];
    checks.extend(checks::codex(&inner.codex, inner.settings.shell).await);
    Readiness { ready: checks.iter().all(|check| check.ok), checks }
}

async fn state(inner: &Inner) -> Check {
    match inner.store.probe().await {
        Ok(()) => passed("state_writable", "the store can be written"),
        Err(error) => Check {
            hint: Some("free some space, or look at the folder that `state_dir` names".to_owned()),
            ..failed("state_writable", &ErrorChain(&error).to_string())
        },
    }
}

fn queue(inner: &Inner) -> Check {
    let load = inner.admission.load();
    if inner.admission.is_open() {
        passed("queue_open", &format!("{} running, {} waiting", load.running, load.queued))
    } else {
        Check {
            hint: Some("wait for the restart".to_owned()),
            ..failed("queue_open", "the daemon is shutting down")
        }
    }
}
