//! Which isolation works on this system: found out once, by a run with nothing to do.

use std::time::Duration;

use crate::capture::capture_isolated;
use crate::command::Command;
use crate::end::{Cause, Exit};
use crate::guard::Guard;
use crate::isolation::Isolation;
use crate::task::PROBE;

/// How long the probe may take. It takes a few milliseconds.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

impl Guard {
    /// How runs are fenced in on this system. The first call tries a PID namespace, with everything
    /// that belongs to it; later ones remember.
    ///
    /// # Cancel safety
    ///
    /// The next call tries again.
    pub async fn isolation(&self) -> Isolation {
        *self.isolation.get_or_init(|| self.probe()).await
    }

    /// Runs the guard once with nothing to do.
    async fn probe(&self) -> Isolation {
        let nothing = Command {
            program: self.executable().to_owned(),
            args: vec![PROBE.into()],
            env: Vec::new(),
            current_dir: "/".into(),
            stdin: Vec::new(),
        };
        match capture_isolated(self, Isolation::PidNamespace, nothing, PROBE_TIMEOUT).await {
            Ok(captured) if captured.cause == Cause::Exited && captured.exit == Exit::Code(0) => {
                Isolation::PidNamespace
            }
            Ok(captured) => {
                tracing::warn!(stderr = captured.stderr, "no PID namespace: falling back");
                Isolation::Subreaper
            }
            Err(error) => {
                tracing::warn!(?error, "no PID namespace: falling back to a sub-reaper");
                Isolation::Subreaper
            }
        }
    }
}
