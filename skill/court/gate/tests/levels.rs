//! The level of every command of the corpus, by its id, and of a plain use of every program that has a handler: a
//! change of one is seen, and is either meant or a regression.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate::Written;
use serde_json::{Value, json};

mod shell;

/// Writes the snapshot anew, from the folder of the crate.
const COMMAND: &str = "cargo run -p gate --example gate-score -- --all corpus/*.jsonl \
                       corpus/rounds/*.jsonl > corpus/levels.tsv";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = [corpus(), corpus().join("rounds")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
        .collect();
    files.sort();
    files
}

fn level(entry: &Value) -> String {
    let wrote: Vec<Written> = entry["wrote"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| Written {
            path: format!("/home/dev/app/{}", file["path"].as_str().unwrap()),
            content: file["content"].as_str().map(str::to_owned),
        })
        .collect();
    let command = entry["command"].as_str().unwrap();
    shell::judge(command, &wrote).level.to_string()
}

#[test]
fn every_program_keeps_its_level() {
    let frozen = fs::read_to_string(corpus().join("names.tsv")).unwrap();
    let changed: Vec<String> = frozen
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(before, command)| (before, command, level(&json!({ "command": command }))))
        .filter(|(before, _, now)| before != now)
        .map(|(before, command, now)| format!("{command}: {before} is now {now}"))
        .collect();
    assert!(frozen.lines().count() > 1_000);
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn every_command_of_the_corpus_keeps_its_level() {
    let frozen = fs::read_to_string(corpus().join("levels.tsv")).unwrap();
    let mut frozen: BTreeMap<&str, &str> =
        frozen.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let mut changed = Vec::new();
    let mut commands = 0;
    for file in files() {
        for line in fs::read_to_string(file).unwrap().lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            let id = entry["id"].as_str().unwrap();
            let now = level(&entry);
            commands += 1;
            match frozen.remove(id) {
                Some(before) if before == now => {}
                Some(before) => changed.push(format!("{id}: {before} is now {now}")),
                None => changed.push(format!("{id}: is new, or there twice, with {now}")),
            }
        }
    }
    changed.extend(frozen.keys().map(|id| format!("{id}: is gone")));
    assert!(commands > 4_000, "{commands}");
    assert!(changed.is_empty(), "{}\nif it is meant: {COMMAND}", changed.join("\n"));
}
