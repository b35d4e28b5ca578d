//! A command whose output cannot be written has failed: otherwise a script that
//! checks the exit code would continue with an incomplete result.

use std::fs::File;
use std::process::{Command, Stdio};

use tests::harness::built;

/// A program, what it is told to print, and the exit code that says so.
const PRINTS: &[(&str, &[&str], i32)] = &[
    ("advisor-under-test", &["template"], 3),
    ("auto-under-test", &["completions", "bash"], 3),
    ("bridge-under-test", &["manual"], 1),
    ("ci-under-test", &["manual"], 3),
    ("court-under-test", &["manual"], 1),
    ("xc-under-test", &["manual"], 1),
];

#[test]
#[expect(clippy::disallowed_methods, reason = "the test plays the user's shell")]
fn a_program_whose_output_is_lost_has_failed() {
    let ran = |program: &str, args: &[&str], stdout: Stdio| {
        let mut command = Command::new(built(program).unwrap());
        command.args(args).env_clear().env("HOME", "/nonexistent").stdin(Stdio::null());
        let output = command.stdout(stdout).stderr(Stdio::piped()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for &(program, args, code) in PRINTS {
        let (usual, said) = ran(program, args, Stdio::null());
        assert_eq!((usual, &*said), (0, ""), "{program}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (lost, said) = ran(program, args, full.into());
        assert_eq!(lost, code, "{program}: {said}");
        assert!(said.contains("No space left on device"), "{program}: {said}");
        assert_eq!(said.lines().count(), 1, "{program}: told once: {said}");
        // Who closed the pipe has read enough.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(ran(program, args, writer.into()).0, 0, "{program}");
    }
}
