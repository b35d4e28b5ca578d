//! Standard output and standard error of a command. A reader that has gone away is no failure: the exit
//! code still tells it all. Output that cannot be written is one: see [`output_lost`]. What a terminal would act on is
//! written out: see [`redact::visible`].

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

pub use redact::visible_line;

static OUTPUT_LOST: AtomicBool = AtomicBool::new(false);

/// Whether something that was printed could not be written, on a full disk for instance. A command that has done
/// its work has failed then: its caller has nothing of it, or half.
#[must_use]
pub fn output_lost() -> bool {
    OUTPUT_LOST.load(Ordering::Relaxed)
}

/// Prints a text and a line end.
pub fn print(text: &str) {
    put(&redact::visible(text));
}

/// Prints JSON and a line end; its strings hold no control characters when they are read.
pub fn print_json(json: &str) {
    put(&redact::visible_json(json));
}

fn put(text: &str) {
    write(format!("{text}\n").as_bytes());
}

/// Writes what is a whole text already.
pub fn write(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            // Told once; what follows is lost as well.
            if !OUTPUT_LOST.swap(true, Ordering::Relaxed) {
                note(&format!("standard output cannot be written: {error}"));
            }
        }
        Ok(()) | Err(_) => {}
    }
}

/// Says something on standard error. Errors of writing there are ignored.
pub fn note(text: &str) {
    say(&redact::visible(text));
}

/// Says something on standard error, in a quieter colour where it is a terminal.
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
