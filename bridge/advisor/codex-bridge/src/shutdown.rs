//! How the daemon is asked to stop: orderly at the first SIGTERM or SIGINT that it receives, at once at the second.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The two requests to stop. Cheap to clone; clones see the same requests.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Accept nothing new; let runs in flight finish for `limits.drain_ms`.
    pub drain: CancellationToken,
    /// Cancel the runs in flight now. Set only after `drain`.
    pub now: CancellationToken,
}

impl Shutdown {
    /// A stop that has not been asked for yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A stop that SIGTERM and SIGINT ask for. The handlers are in place when this returns.
    ///
    /// # Errors
    /// Where the system refuses a signal handler.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn on_signals() -> io::Result<Self> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let shutdown = Self::new();
        let asked = shutdown.clone();
        tokio::spawn(async move {
            let name = either(&mut terminate, &mut interrupt).await;
            tracing::info!(signal = name, "stopping: runs in flight may finish");
            asked.drain.cancel();
            let name = either(&mut terminate, &mut interrupt).await;
            tracing::warn!(signal = name, "stopping at once");
            asked.now.cancel();
        });
        Ok(shutdown)
    }
}

/// Waits for one of the two; both arms are cancel safe.
async fn either(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    }
}
