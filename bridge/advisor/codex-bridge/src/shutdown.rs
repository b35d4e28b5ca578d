//! Shutdown requests: orderly at the first SIGTERM or SIGINT, immediate at the second.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

/// The two shutdown tokens. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// Accept nothing new; runs in flight may continue for `limits.drain_ms`.
    pub drain: CancellationToken,
    /// Cancel the runs in flight now. Set only after `drain`.
    pub now: CancellationToken,
}

impl Shutdown {
    /// Creates tokens that are not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates tokens that SIGTERM and SIGINT cancel. The handlers are installed when this returns.
    ///
    /// # Errors
    /// The system refuses a signal handler.
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

/// Waits for either signal; both arms are cancel safe.
async fn either(terminate: &mut Signal, interrupt: &mut Signal) -> &'static str {
    tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
    }
}
