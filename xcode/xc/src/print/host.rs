//! The agent's host in a run without a user: events are written as they arrive, and questions get no answer.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use agent::Host;
use contract::id::SessionId;
use contract::xc::{End, What};
use host::streams;
use jiff::Timestamp;

use super::output::Output;
use super::progress::Progress;
use crate::cli::args::OutputFormat;
use crate::hints::Hints;
use crate::words::Language;

/// Sends events to a separate thread, which writes them.
pub(super) struct PrintHost {
    /// Unbounded: [`Host::tell`] must not block, and the events of a run are bounded by its tools.
    sender: Sender<Told>,
    writer: JoinHandle<()>,
}

/// An event, and when it happened.
struct Told {
    at: Timestamp,
    what: What,
}

impl PrintHost {
    /// Starts writing the events of `session` in `format`.
    pub(super) fn new(
        format: OutputFormat,
        session: SessionId,
        hints: Hints,
        language: Language,
    ) -> Self {
        let (sender, receiver) = channel();
        let writer = std::thread::spawn(move || {
            write(Output::new(format, session), (&hints, language), &receiver);
        });
        Self { sender, writer }
    }

    /// Writes the end, and waits until everything is written.
    pub(super) fn finish(self, end: End) {
        self.tell(What::End(end));
        let Self { sender, writer } = self;
        drop(sender);
        // A panic of the thread has already been printed.
        let _ = writer.join();
    }
}

impl Host for PrintHost {
    fn tell(&self, what: What) {
        // The thread lives as long as the host.
        let _ = self.sender.send(Told { at: Timestamp::now(), what });
    }
}

fn write(mut output: Output, (hints, language): (&Hints, Language), receiver: &Receiver<Told>) {
    let mut progress = Progress::new(language);
    for Told { at, what } in receiver {
        if !output.has_events()
            && let Some(line) = progress.line(&what)
        {
            streams::note(&line);
        }
        if let What::Failure { class, .. } = &what {
            let hint = hints.line(language, *class);
            hint.iter().for_each(|line| streams::note(&format!("xc: {line}")));
        }
        if let What::End(end) = &what {
            progress.end(end).iter().for_each(|line| streams::note(line));
        }
        output.put(at, what);
    }
}
