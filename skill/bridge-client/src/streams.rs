//! Standard output and standard error of a command. A reader that has gone away is no failure: the exit
//! code still tells it all.

use std::io::{self, Write as _};

/// Prints a text and a line end.
pub fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            note(&format!("standard output cannot be written: {error}"));
        }
        Ok(()) | Err(_) => {}
    }
}

/// Says something on standard error; where nobody listens there is nobody to tell.
pub fn note(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.write_all(b"\n"));
}
