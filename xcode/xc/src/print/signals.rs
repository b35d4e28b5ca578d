//! SIGINT, SIGTERM and SIGHUP: the first one ends the turn, the second one the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use llm::Cancel;
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Exit;

/// The state of signal handling.
#[derive(Debug, Clone)]
pub(super) struct Signals {
    /// The exit code for the first signal; 0 before one arrives.
    code: Arc<AtomicU8>,
    /// Cancelled by the first signal.
    pub(super) cancel: Cancel,
}

impl Signals {
    /// Registers the handlers.
    ///
    /// # Errors
    /// The operating system refused to register a handler.
    pub(super) fn listen() -> std::io::Result<Self> {
        let signals = Self { code: Arc::new(AtomicU8::new(0)), cancel: Cancel::new() };
        for (kind, exit) in [
            (SignalKind::interrupt(), Exit::Interrupted),
            (SignalKind::terminate(), Exit::Terminated),
            // A closed terminal also requests an end.
            (SignalKind::hangup(), Exit::Terminated),
        ] {
            let mut stream = signal(kind)?;
            let signals = signals.clone();
            tokio::spawn(async move {
                while stream.recv().await.is_some() {
                    signals.came(exit);
                }
            });
        }
        Ok(signals)
    }

    /// The exit code for the first signal, if one has arrived.
    pub(super) fn exit(&self) -> Option<Exit> {
        let code = self.code.load(Ordering::Acquire);
        [Exit::Interrupted, Exit::Terminated].into_iter().find(|exit| *exit as u8 == code)
    }

    fn came(&self, exit: Exit) {
        let first = self.code.compare_exchange(0, exit as u8, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err() {
            // The run guards end the running commands as soon as this process is gone.
            std::process::exit(i32::from(exit as u8));
        }
        self.cancel.cancel();
    }
}
