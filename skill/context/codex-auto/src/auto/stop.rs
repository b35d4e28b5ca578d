//! Ctrl-C, which stops a turn. Every other signal ends the program as usual; the
//! bridge notices the closed connection, and our own daemon its closed lifeline.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// A listener for Ctrl-C. Once created, Ctrl-C no longer ends the process.
pub(super) struct Stops(Signal);

impl Stops {
    /// Starts listening. Needs a runtime context.
    pub(super) fn listen() -> io::Result<Self> {
        signal(SignalKind::interrupt()).map(Self)
    }

    /// Discards earlier signals.
    pub(super) fn forget(&mut self) {
        // The handler is already installed, so this only fails if the first call did.
        if let Ok(fresh) = Self::listen() {
            *self = fresh;
        }
    }

    /// Waits for the next signal.
    ///
    /// # Cancel safety
    /// No signal is lost.
    pub(super) async fn next(&mut self) {
        // The stream never ends.
        let _ = self.0.recv().await;
    }
}
