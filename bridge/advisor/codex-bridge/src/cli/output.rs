//! Writes to standard output and standard error. A closed pipe is not a failure.

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

/// Standard output for progress lines: continues without a reader, and reports a lost write at the end.
#[derive(Default)]
pub(super) struct Telling {
    /// The first write error, a closed pipe excepted.
    lost: Option<io::Error>,
}

impl Telling {
    /// Exit code of a command that has done its work: a failure if its output was lost.
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

/// Prints on standard error why a command failed. Write errors are ignored.
pub(super) fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(redact::visible(text).as_bytes());
}

/// Prints the error that ended the command, with its causes, and returns the exit code.
pub(super) fn fail(error: &(dyn Error + 'static), exit: Exit) -> Exit {
    complain(&format!("error: {}\n", ErrorChain(error)));
    exit
}
