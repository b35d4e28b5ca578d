//! The level of every command of the corpus, by its id, and of a plain use of every program that has a handler: a
//! change of one is seen, and is either meant or a regression.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate::{Action, Judgement, judge_action};
use serde_json::{Value, json};

use self::wrote::wrote;

mod shell;
mod wrote;

/// Writes the snapshot anew, from the top of the repository.
const COMMAND: &str = "(cd skill/court/gate && cargo run -p gate --example gate-score -- --all corpus/*.jsonl \
                       corpus/rounds/*.jsonl > corpus/levels.tsv)";

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

/// Every line of every file.
fn entries() -> Vec<Value> {
    let texts = files().into_iter().map(|file| fs::read_to_string(file).unwrap());
    let entries: Vec<Value> = texts
        .flat_map(|text| {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>()
        })
        .collect();
    assert!(entries.len() > 4_000, "{}", entries.len());
    entries
}

fn judged(entry: &Value) -> Judgement {
    shell::judge(entry["command"].as_str().unwrap(), &wrote(entry, "/home/dev/app"))
}

#[test]
fn every_program_keeps_its_level() {
    let frozen = fs::read_to_string(corpus().join("names.tsv")).unwrap();
    let changed: Vec<String> = frozen
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(before, command)| {
            (before, command, judged(&json!({ "command": command })).level.to_string())
        })
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
    for entry in entries() {
        let id = entry["id"].as_str().unwrap();
        let now = judged(&entry).level.to_string();
        match frozen.remove(id) {
            Some(before) if before == now => {}
            Some(before) => changed.push(format!("{id}: {before} is now {now}")),
            None => changed.push(format!("{id}: is new, or there twice, with {now}")),
        }
    }
    changed.extend(frozen.keys().map(|id| format!("{id}: is gone")));
    assert!(changed.is_empty(), "{}\nif it is meant: {COMMAND}", changed.join("\n"));
}

/// The typed entry: an action is worth what the call of a tool is worth that asks for it.
#[test]
fn every_command_of_the_corpora_is_judged_alike_through_both_entries() {
    for entry in entries() {
        let command = entry["command"].as_str().unwrap().to_owned();
        let wrote = wrote(&entry, "/home/dev/app");
        let action = judge_action(&Action::Shell { command }, &shell::context(&wrote));
        assert_eq!(judged(&entry), action, "{}", entry["id"]);
    }
}
