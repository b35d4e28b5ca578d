//! No installed program executes what its arguments name: the guard's hidden subcommands get their task
//! from their own parent over a socket, and there are no others.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tests::harness::StateDir;

/// Every program of ours, under a `main` of its own.
const PROGRAMS: [&str; 7] = [
    env!("CARGO_BIN_EXE_advisor-under-test"),
    env!("CARGO_BIN_EXE_auto-under-test"),
    env!("CARGO_BIN_EXE_bridge-under-test"),
    env!("CARGO_BIN_EXE_court-under-test"),
    env!("CARGO_BIN_EXE_inject-under-test"),
    env!("CARGO_BIN_EXE_orchestrator-under-test"),
    env!("CARGO_BIN_EXE_guard"),
];

/// Subcommands that are hidden, or were, or might be.
const HIDDEN: [&str; 9] = [
    "__supervise-detached",
    "__supervise",
    "__guard",
    "__init",
    "__exec",
    "__probe",
    "__daemon",
    "__run",
    "exec",
];

#[test]
fn no_hidden_subcommand_executes_what_it_is_told() {
    let folder = StateDir::new().unwrap();
    let trace = folder.work().join("trace");
    let touch = ["/bin/sh", "-c", &format!("echo ran >>'{}'", trace.display())].map(str::to_owned);
    // The forms in which a program was told before.
    let forms: [Vec<&str>; 5] = [
        vec![],
        vec!["--"],
        vec!["namespace", "0", "0", "/"],
        vec!["subreaper", "0", "0", "/"],
        vec!["1", "1"],
    ];
    let mut played = 0;
    for program in PROGRAMS {
        for hidden in HIDDEN {
            for form in &forms {
                for stdin in [Input::Nothing, Input::Pipe, Input::Socket] {
                    let args = form.iter().map(|&word| word.to_owned()).chain(touch.clone());
                    play(program, hidden, args.collect(), stdin, &folder);
                    played += 1;
                }
            }
        }
    }
    assert_eq!(played, 7 * 9 * 5 * 3);
    assert!(!trace.exists(), "{:?}", fs::read_to_string(&trace));
    // The trap would have told.
    play("/bin/sh", "-c", vec![touch[2].clone()], Input::Nothing, &folder);
    assert!(trace.exists());
}

/// What a program finds on its standard input.
#[derive(Clone, Copy)]
enum Input {
    Nothing,
    Pipe,
    /// A socket that a process other than its parent may have made: its other end is closed.
    Socket,
}

#[expect(clippy::disallowed_methods, reason = "the test plays whoever calls the program")]
fn play(program: &str, hidden: &str, args: Vec<String>, input: Input, folder: &StateDir) {
    let stdin = match input {
        Input::Nothing => Stdio::null(),
        Input::Pipe => std::io::pipe().unwrap().0.into(),
        Input::Socket => OwnedFd::from(UnixStream::pair().unwrap().0).into(),
    };
    let output = Command::new(PathBuf::from(program))
        .arg(hidden)
        .args(args)
        .env_clear()
        .env("HOME", folder.home())
        .env("PATH", "/usr/bin:/bin")
        .env("CODEX_BRIDGE_STATE_DIR", folder.state())
        .current_dir(folder.work())
        .stdin(stdin)
        .output();
    output.unwrap();
}
