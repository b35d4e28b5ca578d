//! Ctrl-C: what asks a turn to end. Every other signal ends the program as it ends any program; the
//! bridge sees the connection go, and a bridge of our own its lifeline.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens for it. Once made, it no longer ends the process by itself.
pub(super) struct Stops(Signal);

impl Stops {
    /// Starts listening. Needs the runtime's context.
    pub(super) fn listen() -> io::Result<Self> {
        signal(SignalKind::interrupt()).map(Self)
    }

    /// Passes over what came before.
    pub(super) fn forget(&mut self) {
        // The handler is in place, so this fails only where it did before.
        if let Ok(fresh) = Self::listen() {
            *self = fresh;
        }
    }

    /// The next one.
    ///
    /// # Cancel safety
    /// None is lost.
    pub(super) async fn next(&mut self) {
        // The stream never ends.
        let _ = self.0.recv().await;
    }
}
