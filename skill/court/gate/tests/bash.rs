//! What bash accepts, the gate understands or stops: compared with `bash -n`, which parses and executes
//! nothing.

#![expect(clippy::disallowed_methods, reason = "bash is asked whether it would parse a command")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use gate::{Level, Outcome};
use serde_json::Value;

mod shell;

fn judge(command: &str) -> gate::Judgement {
    shell::judge(command, &gate::NoDisk)
}

/// How many mutated commands are compared. One costs a process.
const MUTATIONS: usize = 600;

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut commands = Vec::new();
    let rounds = fs::read_dir(folder.join("rounds")).unwrap();
    let mut files: Vec<_> = rounds.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.extend([folder.join("attacks.jsonl"), folder.join("benign.jsonl")]);
    for file in files {
        for line in fs::read_to_string(file).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            commands.push(value["command"].as_str().unwrap().to_owned());
        }
    }
    commands
}

/// Whether bash would parse it, without a warning; none without a bash.
fn bash_accepts(command: &str) -> Option<bool> {
    let started = Command::new("bash")
        .args(["--norc", "--noprofile", "-n"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut bash = match started {
        Ok(bash) => bash,
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        Err(error) => panic!("bash: {error}"),
    };
    let text = format!("{command}\n");
    // bash may give up before it has read everything.
    let _ = bash.stdin.take().unwrap().write_all(text.as_bytes());
    let output = bash.wait_with_output().unwrap();
    Some(output.status.success() && output.stderr.is_empty())
}

#[test]
fn every_command_of_the_corpus_is_understood() {
    for command in corpus() {
        let judgement = judge(&command);
        // What only zsh can parse is stopped.
        let stopped = command.starts_with("zsh ") && judgement.level >= Level::L2;
        assert!(stopped || judgement.outcome == Outcome::Judged, "{command:?}: {judgement:?}");
    }
}

#[test]
fn what_bash_accepts_is_understood_or_stopped() {
    let commands = corpus();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |end: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % end.max(1) as u64) as usize
    };
    let joints = ["; ", " && ", " | ", "\n", " & ", " || ", "; ( ", "; { "];
    let (mut accepted, mut not_understood) = (0, 0);
    for index in 0..MUTATIONS {
        let first = &commands[random(commands.len())];
        let second = &commands[random(commands.len())];
        let command = match index % 4 {
            0 => format!("{first}{}{second}", joints[random(6)]),
            1 => format!("if {first}\nthen\n{second}\nfi"),
            2 => {
                let mut at = random(first.len());
                while !first.is_char_boundary(at) {
                    at -= 1;
                }
                let piece = [
                    "'", "\"", "$(", ")", "`", "\\", "{", "}", "<<E\n", "(", ";", "#", "${x}",
                    "[[ ",
                ];
                format!("{}{}{}", &first[..at], piece[random(piece.len())], &first[at..])
            }
            _ => format!("echo \"$({first}\n)\""),
        };
        let Some(accepts) = bash_accepts(&command) else {
            skipping::missing("bash", "install it");
            return;
        };
        if !accepts {
            continue;
        }
        accepted += 1;
        let judgement = judge(&command);
        if judgement.outcome != Outcome::Judged {
            not_understood += 1;
            eprintln!("not understood: {command:?}: {:?}", judgement.outcome);
            assert!(judgement.level >= Level::L2, "{command:?}");
        }
    }
    eprintln!(
        "bash accepts {accepted} of {MUTATIONS}; {not_understood} of them are not understood"
    );
    assert!(accepted > MUTATIONS / 3, "too few were compared");
    assert!(not_understood * 50 <= accepted, "{not_understood} of {accepted} are not understood");
}
