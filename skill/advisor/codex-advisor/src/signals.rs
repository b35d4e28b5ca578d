//! The signals that end the command, handled so that it can still report the run that continues.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signal that ends the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// SIGTERM: how Claude Code ends a command at its limit.
    Terminate,
    /// SIGINT: Ctrl-C.
    Interrupt,
    /// SIGHUP: the terminal is gone.
    HangUp,
}

impl Stop {
    /// The signal's name.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Terminate => "SIGTERM",
            Self::Interrupt => "SIGINT",
            Self::HangUp => "SIGHUP",
        }
    }
}

/// Handles these signals. While this exists, none of them ends the process by itself.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    /// Registers the handlers.
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// The next signal.
    ///
    /// # Cancel safety
    /// Cancel safe: no signal is lost.
    pub(crate) async fn next(&mut self) -> Stop {
        tokio::select! {
            _ = self.terminate.recv() => Stop::Terminate,
            _ = self.interrupt.recv() => Stop::Interrupt,
            _ = self.hang_up.recv() => Stop::HangUp,
        }
    }
}
