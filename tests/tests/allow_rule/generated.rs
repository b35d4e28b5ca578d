//! 10,000 command lines of an agent, tested against every trap.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;

use tests::agent::{Line, Told, play};

use crate::fixture::{CANARY, Caught, Fixture};
use crate::lines::{Dice, Grammar, given};

/// How many lines are played.
const LINES: usize = 10_000;

/// How many of them are also watched by the system call, where `strace` is installed.
const WATCHED: usize = 200;

/// Nobody can be there.
const NOBODY: &str = "http://127.0.0.1:1";

/// Every line with what came of it, half of them with a bridge that answers and half without one.
fn played(fixture: &Fixture, count: usize, through: &[&str]) -> Vec<(Line, Told)> {
    let grammar = Grammar::new(fixture);
    let own = format!("http://{}", fixture.own_address);
    let homes = [fixture.home("served", &own), fixture.home("alone", NOBODY)];
    let halves: Vec<(PathBuf, Vec<Line>)> = homes
        .into_iter()
        .zip(1..)
        .map(|(home, seed)| {
            let mut dice = Dice::new(seed);
            let lines = (0..count / 2).map(|_| grammar.line(&mut dice, fixture));
            (home, lines.map(|line| wrapped(line, through)).collect())
        })
        .collect();
    thread::scope(|scope| {
        let players: Vec<_> = halves
            .iter()
            .map(|(home, lines)| {
                scope.spawn(|| play(lines, &given(home), &fixture.project()).unwrap())
            })
            .collect();
        let told = players.into_iter().flat_map(|player| player.join().unwrap());
        halves.iter().flat_map(|(_, lines)| lines.clone()).zip(told).collect()
    })
}

/// The line behind another command.
fn wrapped(line: Line, through: &[&str]) -> Line {
    let [program, before @ ..] = through else { return line };
    let own = line.program.display().to_string();
    let args = before.iter().map(|&word| word.to_owned()).chain([own]).chain(line.args).collect();
    Line { program: program.into(), args, ..line }
}

/// What is wrong with what a line said or left.
fn fault(line: &Line, told: &Told) -> Option<String> {
    let said = format!("{}{}", told.stdout, told.stderr);
    let what = if said.contains(CANARY) {
        "it shows a secret"
    } else if said.contains("panicked") {
        "it panicked"
    } else if !matches!(told.code, Some(0 | 2..=5)) {
        "it ends otherwise than by our exit codes"
    } else if told.left > 0 && !said.contains("started ") {
        "it left a process behind"
    } else {
        return None;
    };
    Some(format!("{what}: {line:#?}\n{told:#?}"))
}

#[test]
fn ten_thousand_command_lines_start_read_and_reach_nothing_foreign() {
    let fixture = Fixture::new();
    let played = played(&fixture, LINES, &[]);
    assert_eq!(played.len(), LINES);
    let faults: Vec<String> =
        played.iter().filter_map(|(line, told)| fault(line, told)).take(3).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));

    let caught = fixture.caught();
    let daemon = format!("own {} serve --detached", fixture.bin.join("codex-bridge").display());
    let (own, foreign): (Vec<String>, Vec<String>) =
        caught.programs.iter().cloned().partition(|program| *program == daemon);
    assert_eq!(foreign, Vec::<String>::new(), "only our daemon is ever started");
    assert_eq!((caught.reads, caught.connections), (0, 0));

    // The lines do what the command can do: they reach the bridge, start ours, and are refused.
    let ended = |code| played.iter().filter(|(_, told)| told.code == Some(code)).count();
    let reached = fixture.own_connections.load(Ordering::SeqCst);
    let counts = (reached, own.len(), ended(0), ended(2), ended(3));
    assert!(reached > 300 && own.len() > 5, "{counts:?}");
    assert!(ended(0) > 300 && ended(2) > 1000 && ended(3) > 300, "{counts:?}");
}

/// The same traps, with lines that walk into each of them.
#[test]
fn the_traps_catch_what_they_are_for() {
    let fixture = Fixture::new();
    let (evil, home) = (fixture.evil(), fixture.home("person", NOBODY));
    let text = |path: &Path| path.display().to_string();
    let secret = text(&evil.join("vault-token"));
    let token = "t".repeat(43);
    let catch = |program: &str, args: &[&str], env: &[(&str, &str)]| -> (Told, Caught) {
        let pairs = env.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let line = Line {
            program: program.into(),
            args: args.iter().map(|&arg| arg.to_owned()).collect(),
            env: pairs.collect(),
            stdin: "/dev/null".into(),
        };
        let told =
            play(std::slice::from_ref(&line), &given(&home), &fixture.project()).unwrap().remove(0);
        let is_at_fault = fault(&line, &told).is_some();
        let caught = fixture.caught();
        assert!(is_at_fault || caught != Caught::default(), "{line:?} {told:?}");
        (told, caught)
    };
    let advisor = text(&fixture.bin.join("codex-advisor"));
    // Without a mark the environment is a person's, who may choose.
    for address in &fixture.foreign_addresses {
        let env = [("CODEX_BRIDGE_URL", address.as_str()), ("CODEX_BRIDGE_TOKEN", &token)];
        assert!(catch(&advisor, &["runs"], &env).1.connections > 0, "{address}");
    }
    let caught =
        catch(&advisor, &["runs"], &[("CODEX_BRIDGE_STATE_DIR", &text(&evil.join("state")))]).1;
    assert!(caught.reads > 0 && caught.connections > 0, "{caught:?}");
    let bin = format!("{}:/usr/bin:/bin", text(&evil.join("bin")));
    let caught = catch("/bin/sh", &["-c", "codex-bridge serve"], &[("PATH", &bin)]).1;
    assert_eq!(caught.programs.len(), 1, "{caught:?}");
    let (told, caught) = catch("/bin/cat", &[&secret], &[]);
    assert!(told.stdout.contains(CANARY) && caught.reads > 0, "{told:?} {caught:?}");
    let (told, _) = catch("/bin/sh", &["-c", "exec >&- 2>&-; /bin/sleep 0.1 &"], &[]);
    assert_eq!(told.left, 1);
}

/// A part of the lines once more, with every program, file and connection that the kernel was asked for.
#[test]
fn the_system_calls_of_a_sample_are_our_own() {
    let strace = Path::new("/usr/bin/strace");
    if !strace.exists() {
        skipping::missing("strace", "run `make debian`");
        return;
    }
    let fixture = Fixture::new();
    let log = fixture.folder.root().join("calls");
    fs::create_dir(&log).unwrap();
    let calls = "trace=execve,execveat,connect,sendto,open,openat,openat2,creat";
    let name = log.join("at").display().to_string();
    let through = [
        strace.to_str().unwrap(),
        "-ff",
        "-qq",
        "-y",
        "-e",
        calls,
        "-e",
        "signal=none",
        "-o",
        &name,
    ];
    assert_eq!(played(&fixture, WATCHED, &through).len(), WATCHED);

    let (mut seen, mut own) = (0, 0);
    for entry in fs::read_dir(&log).unwrap() {
        for call in fs::read_to_string(entry.unwrap().path()).unwrap().lines() {
            seen += 1;
            if is_foreign(call, &fixture) {
                panic!("a foreign call: {call}");
            }
            own += usize::from(call.starts_with("execve") && call.contains("/bin/codex-advisor\""));
        }
    }
    assert!(own >= WATCHED / 2 && seen > WATCHED * 5, "{own} of {seen} calls");
}

/// Whether a system call reaches what is not ours: another program than the advisor and its daemon, a
/// file of somebody else's (a handle that cannot be read is none), an address that is not the user's.
fn is_foreign(call: &str, fixture: &Fixture) -> bool {
    let quoted = call.split('"').nth(1).unwrap_or_default();
    if call.starts_with("execve") {
        let bin = fixture.bin.display().to_string();
        // The daemon is a script here, which has an interpreter.
        return !quoted.starts_with(&bin) && !["/bin/sh", "/usr/bin/sh"].contains(&quoted);
    }
    if call.starts_with("connect") || call.starts_with("sendto") {
        let is_own = call.contains(&format!("htons({})", fixture.own_address.port()));
        let is_nobody = call.contains("htons(1)");
        // The user database may be asked for the home folder.
        // The kernel is asked who accepted a connection.
        let is_kernel = call.contains("AF_NETLINK");
        let is_named = call.contains("sa_family") && !call.contains("nscd");
        return !is_own && !is_nobody && !is_kernel && is_named;
    }
    let real = fs::canonicalize(fixture.project().join(quoted)).unwrap_or_else(|_| quoted.into());
    real.starts_with(fixture.evil()) && !call.contains("O_PATH") && !call.contains("O_DIRECTORY")
}

/// An agent in a folder below the project, whose own environment has no mark at all.
#[test]
fn an_agent_is_known_by_its_mark_alone() {
    let fixture = Fixture::new();
    let own = format!("http://{}", fixture.own_address);
    let home = fixture.home("served", &own);
    for mark in host::agent::MARKS {
        let foreign = fixture.foreign_addresses[0].clone();
        let line = Line {
            program: fixture.bin.join("codex-advisor"),
            args: vec!["status".to_owned(), "--json".to_owned()],
            env: vec![(mark.to_owned(), String::new()), ("CODEX_BRIDGE_URL".to_owned(), foreign)],
            stdin: "/dev/null".into(),
        };
        let environment: Vec<(&str, &OsStr)> = given(&home);
        let told = play(&[line], &environment, &fixture.project()).unwrap().remove(0);
        let status: serde_json::Value = serde_json::from_str(&told.stdout).unwrap();
        assert_eq!(status["address"]["value"], own, "{mark}: {told:#?}");
        assert!(
            told.stderr.contains("CODEX_BRIDGE_URL"),
            "it says what it ignores: {}",
            told.stderr
        );
    }
    assert_eq!(fixture.caught(), Caught::default());
}
