//! Standard output and standard error of a command. A closed pipe is not a failure: the exit
//! code still has the result. Output that cannot be written otherwise is one: see [`output_lost`]. Terminal control
//! characters are escaped: see [`redact::visible`].

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

pub use redact::visible_line;

static OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// Whether some output could not be written, for instance on a full disk. A command that has done
/// its work then still fails, because its output is missing or incomplete.
#[must_use]
pub fn output_lost() -> bool {
    OUTPUT_LOST.load(Ordering::Relaxed)
}

/// Prints a text and a newline.
pub fn print(text: &str) {
    put(&redact::visible(text));
}

/// Prints JSON and a newline; terminal control characters in its strings are written as JSON escapes.
pub fn print_json(json: &str) {
    put(&redact::visible_json(json));
}

fn put(text: &str) {
    write(format!("{text}\n").as_bytes());
}

/// Writes bytes unchanged.
pub fn write(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // Reported once; later output is lost as well.
            if !OUTPUT_LOST.swap(true, Ordering::Relaxed) {
                note(&format!("standard output cannot be written: {error}"));
            }
        }
        Ok(()) | Err(_) => {}
    }
}

/// Prints a note on standard error. Write errors are ignored.
pub fn note(text: &str) {
    say(&redact::visible(text));
}

/// Prints a note on standard error, dimmed on a terminal.
pub fn note_dim(text: &str) {
    let text = redact::visible(text);
    if io::stderr().is_terminal() {
        say(&format!("\x1b[2m{text}\x1b[0m"));
    } else {
        say(&text);
    }
}

fn say(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.write_all(b"\n"));
}
