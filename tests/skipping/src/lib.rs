//! Reports that a test cannot run: visibly, and as a failure in CI; and reports warnings of a test that passes.
//! Not here: what tests need.
//!
//! A test runner hides the output of a passing test, so each skip is also a line in the file that
//! [`LIST`] names, and each warning one in that of [`WARNINGS`]. `make test` prints these files at its end.

use std::fs::OpenOptions;
use std::io::Write as _;

/// The variable that names the file to which skips are appended, one line each: `TEST: REASON`.
pub const LIST: &str = "SKIPPED_TESTS";

/// The variable that names the file to which warnings are appended, one line each: `TEST: WHAT`.
pub const WARNINGS: &str = "TEST_WARNINGS";

/// The variable that is set in CI, where nothing that can be installed may be missing.
const CI: &str = "CI";

/// Skips a test that needs a program or library which can be installed and is missing.
///
/// # Panics
/// In CI: what a test needs must be part of the setup.
#[track_caller]
pub fn missing(what: &str, remedy: &str) {
    assert!(std::env::var_os(CI).is_none(), "{what} is missing: {remedy}");
    note(&format!("{what} is missing: {remedy}"));
}

/// Skips a test that needs what this machine or user cannot have, such as a namespace or another user.
pub fn impossible(reason: &str) {
    note(reason);
}

/// Warns of a problem that is not ours to fix, such as a new release of another program.
pub fn warn(what: &str) {
    tell("WARNING", WARNINGS, what);
}

fn note(reason: &str) {
    tell("SKIPPED", LIST, reason);
}

/// Reports the test on standard error, and in the list if there is one.
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
