//! SIGTERM, SIGHUP, and SIGINT from elsewhere than the keyboard: each asks for the end of the program.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::event::Event;
use crate::exit::Exit;

/// Tells of them from now on. The keyboard's SIGINT is a key where the terminal `is_raw`, and the terminal tells of it
/// where it is not.
///
/// # Errors
/// What the system says.
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
