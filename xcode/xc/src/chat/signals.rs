//! SIGTERM, SIGHUP, and SIGINT that do not come from the keyboard: each requests the end of the program.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::event::Event;
use crate::exit::Exit;

/// Sends these signals as events from now on. In a raw terminal, Ctrl+C is a key and sends no SIGINT; otherwise the terminal
/// reports it.
///
/// # Errors
/// The operating system refused to register a handler.
pub(crate) fn listen(sender: &mpsc::UnboundedSender<Event>, is_raw: bool) -> io::Result<()> {
    let mut kinds =
        vec![(SignalKind::terminate(), Exit::Terminated), (SignalKind::hangup(), Exit::Terminated)];
    if is_raw {
        kinds.push((SignalKind::interrupt(), Exit::Interrupted));
    }
    for (kind, exit) in kinds {
        let mut stream = signal(kind)?;
        let sender = sender.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                if sender.send(Event::Signal(exit)).is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}
