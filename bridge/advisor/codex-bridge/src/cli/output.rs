//! Writing to standard output and standard error. A reader that has gone away is no failure.

use std::error::Error;
use std::io::{self, Write};

use crate::exit::Exit;
use host::ErrorChain;

/// Prints the whole result of a command.
pub(super) fn print(text: &str) -> Exit {
    put(&redact::visible(text))
}

fn put(text: &str) -> Exit {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Exit::Ok,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Ok,
        Err(error) => unwritable(&error),
    }
}

/// Standard output for what is told step by step and goes on without a reader. What was lost is told at the end.
#[derive(Default)]
pub(super) struct Telling {
    /// The first error, but for that of a reader that has gone away.
    lost: Option<io::Error>,
}

impl Telling {
    /// The end of a command that has done its work: it has failed where its words are lost.
    pub(super) fn end(self) -> Exit {
        match self.lost {
            None => Exit::Ok,
            Some(error) => unwritable(&error),
        }
    }

    fn remember<T>(&mut self, written: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &written
            && error.kind() != io::ErrorKind::BrokenPipe
            && self.lost.is_none()
        {
            self.lost = Some(
                error.raw_os_error().map_or(error.kind().into(), io::Error::from_raw_os_error),
            );
        }
        written
    }
}

impl Write for Telling {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = io::stdout().write(bytes);
        self.remember(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = io::stdout().flush();
        self.remember(flushed)
    }
}

fn unwritable(error: &io::Error) -> Exit {
    complain(&format!("standard output cannot be written: {error}\n"));
    Exit::Failed
}

/// Prints a JSON value, indented, with a line end.
pub(super) fn print_json(value: &serde_json::Value) -> Exit {
    put(&redact::visible_json(&format!("{value:#}\n")))
}

/// Says on standard error why a command failed. Errors of writing there are ignored.
pub(super) fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(redact::visible(text).as_bytes());
}

/// Says which error ended the command, with its causes, and gives the exit code back.
pub(super) fn fail(error: &(dyn Error + 'static), exit: Exit) -> Exit {
    complain(&format!("error: {}\n", ErrorChain(error)));
    exit
}
