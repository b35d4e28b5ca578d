//! How a test says that it cannot run: aloud, and under CI not at all; and how one warns that passes all the same.
//! Not here: what tests need.
//!
//! A runner hides what a passing test prints, so each skip is also a line of the file that
//! [`LIST`] names, and each warning one of [`WARNINGS`]. `make test` prints these files last.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The variable that names the file to which skips are appended, one line each: `TEST: REASON`.
pub const LIST: &str = "SKIPPED_TESTS";

/// The variable that names the file to which warnings are appended, one line each: `TEST: WHAT`.
pub const WARNINGS: &str = "TEST_WARNINGS";

/// The variable that is set under CI, where nothing that can be installed may be missing.
const CI: &str = "CI";

/// This test needs a program or library that can be installed, and it is not here.
///
/// # Panics
/// Under CI: what a test needs belongs in the setup.
#[track_caller]
pub fn missing(what: &str, remedy: &str) {
    assert!(std::env::var_os(CI).is_none(), "{what} is missing: {remedy}");
    note(&format!("{what} is missing: {remedy}"));
}

/// This test needs what this machine or user cannot have, such as a namespace or another user.
pub fn impossible(reason: &str) {
    note(reason);
}

/// Something is not as it should be that is not ours to mend, such as a program that was released since.
pub fn warn(what: &str) {
    tell("WARNING", WARNINGS, what);
}

fn note(reason: &str) {
    tell("SKIPPED", LIST, reason);
}

/// Tells of the test on standard error, and in the list where one is kept.
fn tell(word: &str, list: &str, reason: &str) {
    let thread = std::thread::current();
    let line = format!("{}: {}\n", thread.name().unwrap_or("a test"), reason.replace('\n', " "));
    // A list that cannot be written must not fail the test.
    let _ = write!(std::io::stderr(), "{word}: {line}");
    if let Some(list) = std::env::var_os(list) {
        let file = OpenOptions::new().append(true).create(true).open(list);
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}
