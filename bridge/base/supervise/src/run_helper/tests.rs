//! Every end of a brief run, with real programs.

use std::time::{Duration, Instant};

use super::*;

/// Long enough for everything that ends by itself, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn shell(script: &str, timeout: Duration) -> HelperCommand {
    HelperCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![("GREETING".into(), "hello".into())],
        current_dir: "/".into(),
        deadline: Instant::now() + timeout,
        stdout_max: 1000,
    }
}

fn told(script: &str) -> HelperOutput {
    run_helper(&shell(script, PATIENCE)).unwrap()
}

/// Whether a process of this number runs. One that is dead but not reaped does not.
fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(" Z"))
}

/// A killed process takes a moment to go.
fn assert_dies(pid: &str) {
    let begun = Instant::now();
    while is_alive(pid) {
        assert!(begun.elapsed() < PATIENCE, "{pid} outlived its run");
        thread::yield_now();
    }
}

#[test]
fn what_a_program_says_and_how_it_ends_is_told() {
    let end = |code| HelperEnd::Exited(Exit::Code(code));
    let all = told("echo $GREETING $HOME; echo trouble >&2; cat; exit 3");
    assert_eq!(
        all,
        HelperOutput { end: end(3), stdout: b"hello\n".into(), stderr: "trouble\n".into() }
    );
    assert!(!all.is_success());
    assert!(told(":").is_success());
    assert_eq!(told("kill -KILL $$").end, HelperEnd::Exited(Exit::Signal(9)));
}

#[test]
fn a_program_reads_what_it_is_given_however_long_that_is() {
    let fed = |script: &str, input: &[u8]| {
        let command = HelperCommand { stdout_max: 1 << 20, ..shell(script, PATIENCE) };
        run_helper_with_input(&command, input).unwrap()
    };
    // Far more than a pipe holds, with an echo that has to be read meanwhile.
    let long: Vec<u8> = (0..300_000u32).map(|number| b'a' + (number % 26) as u8).collect();
    let told = fed("cat", &long);
    assert!(told.is_success() && told.stdout == long);
    assert_eq!(fed("wc -c", b"").stdout.trim_ascii(), b"0");
    // Who does not read is not waited for.
    assert_eq!(fed("echo done", &long).stdout, b"done\n");
    assert_eq!(fed("exec <&-; echo done", &long).stdout, b"done\n");
}

#[test]
fn a_program_that_closes_its_output_is_waited_for() {
    let told = told("exec >&- 2>&-; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; exit 7");
    assert_eq!(told.end, HelperEnd::Exited(Exit::Code(7)));
}

#[test]
fn a_hanging_program_is_killed_and_what_it_said_is_kept() {
    let mut timeout = Duration::from_millis(500);
    // Until the machine was quick enough for the first line to come before the deadline.
    let told = loop {
        let told = run_helper(&shell("trap '' INT TERM; echo $$; while :; do :; done", timeout));
        let told = told.unwrap();
        assert_eq!(told.end, HelperEnd::Deadline);
        if !told.stdout.is_empty() {
            break told;
        }
        assert!(timeout < PATIENCE, "it never said anything");
        timeout *= 2;
    };
    assert_dies(String::from_utf8(told.stdout).unwrap().trim());
}

#[test]
fn a_deadline_that_has_passed_kills_at_once() {
    let told = run_helper(&shell("while :; do :; done", Duration::ZERO)).unwrap();
    assert_eq!(told.end, HelperEnd::Deadline);
}

#[test]
fn a_flood_is_cut_and_its_beginning_kept() {
    let flood = told("while :; do echo 0123456789; done");
    assert_eq!(flood.end, HelperEnd::OutputLimit);
    assert_eq!(flood.stdout.len(), 1000);
    assert!(flood.stdout.starts_with(b"0123456789\n0123456789\n"));

    let fits = told("head -c 1000 /dev/zero");
    assert_eq!((fits.end, fits.stdout.len()), (HelperEnd::Exited(Exit::Code(0)), 1000));
}

#[test]
fn the_end_of_a_long_stderr_is_kept() {
    let told = told("head -c 300000 /dev/zero | tr '\\0' x >&2; echo the end >&2");
    assert!(told.is_success());
    assert_eq!(told.stderr.len(), STDERR_MAX);
    assert!(told.stderr.ends_with("xxxthe end\n"));
}

#[test]
fn what_a_program_leaves_running_is_killed_and_not_waited_for() {
    let told = told("sleep 1000 & echo $!");
    assert!(told.is_success());
    assert_dies(String::from_utf8(told.stdout).unwrap().trim());
}

#[test]
fn what_cannot_be_started_says_why() {
    let fault = |change: fn(&mut HelperCommand)| {
        let mut wanted = shell(":", PATIENCE);
        change(&mut wanted);
        match run_helper(&wanted).unwrap_err() {
            HelperError::NotStarted(error) => error,
            error => panic!("{error}"),
        }
    };
    let missing = fault(|wanted| wanted.program = "/nowhere/git".into());
    assert!(matches!(missing, SpawnError::NotFound { path } if path == Path::new("/nowhere/git")));
    let folder = fault(|wanted| wanted.program = "/".into());
    assert!(matches!(folder, SpawnError::NotExecutable { .. }));
    let dir = fault(|wanted| wanted.current_dir = "/nowhere".into());
    assert!(matches!(dir, SpawnError::Directory { path, .. } if path == Path::new("/nowhere")));
}
