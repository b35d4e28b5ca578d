//! The hook gives each command of the corpora the level that the golden files have for it; `xc` is held to the same
//! files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate::ToolCall;
use gate_disk::{OnDisk, Session};
use serde_json::{Value, json};

use super::{LOOK_UPS_MAX, Surroundings};
use crate::config;
use crate::environment::Environment;
use crate::places::Places;

/// The project of the corpora, which no machine has.
const PROJECT: &str = "/home/dev/app";

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../gate/corpus")
}

/// The levels of a golden file, by id.
fn levels(file: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(corpus().join(file)).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(id, level)| (id.into(), level.into()));
    text.lines().map(|line| pair(line).unwrap()).collect()
}

/// Every line of every file that needs nothing written before.
fn entries() -> Vec<Value> {
    let folders = [corpus(), corpus().join("rounds")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let mut entries: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    entries.retain(|entry| entry["wrote"].is_null());
    assert!(entries.len() > 3_000, "{}", entries.len());
    entries
}

#[test]
fn every_line_of_the_corpora_has_its_level_through_the_hook() {
    let environment = Environment::of([("HOME", "/home/dev"), ("CLAUDE_PROJECT_DIR", PROJECT)]);
    let places = Places::find(&environment, Path::new(PROJECT));
    let config = config::resolve(&environment, &places).config;
    let golden = levels("levels.tsv");
    let mut different = BTreeMap::new();
    for entry in entries() {
        let disk = OnDisk::new("", places.answering(), LOOK_UPS_MAX, Session::default);
        let surroundings = Surroundings::of(Path::new(PROJECT), &places, &config, &disk);
        let input = json!({ "command": entry["command"] });
        let call = ToolCall { name: "Bash", input: &input };
        let level = gate::judge(&call, &surroundings.context(), config.policy).level.to_string();
        let id = entry["id"].as_str().unwrap();
        if golden[id] != level {
            different.insert(id.to_owned(), level);
        }
    }
    // Nothing of the project is there, so that there is nothing to lose in it.
    assert_eq!(different, levels("levels-absent.tsv"));
}
