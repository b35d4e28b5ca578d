//! Written, then run: sequences of calls as the client makes them, with their effects on disk between them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fixture::{Fixture, decision};

/// Runs what a call would have done.
fn does(fixture: &Fixture, command: &str) {
    let mut shell = Command::new("/bin/bash");
    shell.args(["-c", command]).current_dir(fixture.project()).env_clear();
    shell.env("PATH", "/usr/bin:/bin").env("HOME", fixture.project().join("../home"));
    shell.env("GIT_CONFIG_NOSYSTEM", "1");
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
}

/// The file system's clock moves in steps: waits until a new file is younger than the old ones.
fn next_tick(folder: &Path) {
    let limit = Instant::now() + Duration::from_secs(5);
    let changed = || {
        fs::write(folder.join("tick"), "").unwrap();
        let found = fs::metadata(folder.join("tick")).unwrap();
        (found.ctime(), found.ctime_nsec())
    };
    let first = changed();
    while changed() == first {
        assert!(Instant::now() < limit, "the clock stands still");
        std::thread::yield_now();
    }
}

fn begun(sequence: &Value) -> Fixture {
    let fixture = Fixture::new();
    for command in sequence["before"].as_array().into_iter().flatten() {
        does(&fixture, command.as_str().unwrap());
    }
    next_tick(&fixture.project().join(".."));
    fixture.hook(&fixture.call("SessionStart", json!({"source": "startup"})));
    for step in sequence["steps"].as_array().into_iter().flatten() {
        let (call, effect) = match (step.as_str(), step["run"].as_str()) {
            (Some(command), _) => (fixture.bash(command), command.to_owned()),
            (None, Some(command)) => {
                (fixture.bash(command), step["does"].as_str().unwrap().to_owned())
            }
            (None, None) => {
                let path = step["write"].as_str().unwrap();
                let text = step["text"].as_str().unwrap();
                fixture.write(path, text);
                let input = json!({"file_path": fixture.file(path), "content": text});
                (fixture.before("Write", input), "true".to_owned())
            }
        };
        let answer = fixture.hook(&call);
        assert_eq!(decision(&answer), "silence", "{}: {step}: {answer}", sequence["id"]);
        does(&fixture, &effect);
    }
    fixture
}

/// Every sequence of the data: attacks are refused at their last call, ordinary work is not.
#[test]
fn what_a_session_wrote_by_any_means_counts_as_its_content_when_it_runs() {
    let data = include_str!("sequences.jsonl");
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in data.lines() {
        let sequence: Value = serde_json::from_str(line).unwrap();
        let fixture = begun(&sequence);
        let answer = fixture.hook(&fixture.bash(sequence["last"].as_str().unwrap()));
        let expected = if sequence["least"] == "L2" { "deny" } else { "silence" };
        if decision(&answer) != expected {
            wrong.push(format!("{}: {}", sequence["id"], answer));
        }
        count += 1;
    }
    assert!(count >= 80, "{count}");
    assert!(wrong.is_empty(), "{} of {count}\n{}", wrong.len(), wrong.join("\n"));
}

/// A runner that fetches a package is ordinary for what the project listed before the session.
#[test]
fn a_package_counts_as_listed_by_what_the_session_did_not_write() {
    let manifest = "echo '{\"devDependencies\": {\"some-tool\": \"1\"}}' > package.json";
    let fixture = begun(&json!({"before": [manifest], "steps": []}));
    let answer = fixture.hook(&fixture.bash("npx -y some-tool"));
    assert_eq!(decision(&answer), "silence", "{answer}");
    assert_eq!(decision(&fixture.hook(&fixture.bash("npx -y other-tool"))), "deny");
    let more = manifest.replace("some-tool", "other-tool");
    fixture.hook(&fixture.bash(&more));
    does(&fixture, &more);
    assert_eq!(decision(&fixture.hook(&fixture.bash("npx -y other-tool"))), "deny");
}

/// The same files, unchanged since before the session: what they hold is not this session's doing.
#[test]
fn a_file_of_before_the_session_is_not_read() {
    let sequence = json!({"before": ["echo 'git push --force' > old.sh"], "steps": []});
    let fixture = begun(&sequence);
    assert_eq!(decision(&fixture.hook(&fixture.bash("sh old.sh"))), "silence");
    does(&fixture, "echo '# more' >> old.sh; touch -d 2020-01-01 old.sh");
    assert_eq!(decision(&fixture.hook(&fixture.bash("sh old.sh"))), "deny");
}

/// The record lies where the project has no part in it, and what is denied is not in it.
#[test]
fn the_record_is_in_the_users_state_and_a_denied_call_is_not_in_it() {
    let fixture = begun(&json!({"steps": ["echo a > a.txt"]}));
    assert_eq!(decision(&fixture.hook(&fixture.bash("git push --force > b.txt"))), "deny");
    let state = fixture.project().join("../home/.local/state/codex-bridge/court");
    let mut records = String::new();
    let mut waiting = vec![state];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.to_string_lossy().contains("/sessions/") {
                records.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    assert!(records.contains("a.txt") && !records.contains("b.txt"), "{records}");
}
