//! The host of a run without a user: what happens is written as it comes, and no question has an answer.

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

/// Tells a thread of its own what happens, which writes it.
pub(super) struct PrintHost {
    /// Without a bound: [`Host::tell`] must not wait, and what a run tells is bounded by its tools.
    sender: Sender<Told>,
    writer: JoinHandle<()>,
}

/// Something that happened, and when.
struct Told {
    at: Timestamp,
    what: What,
}

impl PrintHost {
    /// Writes in `format` what happens in `session`.
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

    /// Tells the end, and waits until all is written.
    pub(super) fn finish(self, end: End) {
        self.tell(What::End(end));
        let Self { sender, writer } = self;
        drop(sender);
        // Its panic was told by itself.
        let _ = writer.join();
    }
}

impl Host for PrintHost {
    fn tell(&self, what: What) {
        // The writer lives as long as this.
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
