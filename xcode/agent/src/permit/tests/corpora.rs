//! The gate's corpora through the permissions: the same level for each line as every host of the gate gets, by the one
//! file that freezes them, and nothing dangerous under trust.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use contract::xc::{CallLevel, Verdict};
use gate::Written;
use gate_disk::{OnDisk, Session};
use serde_json::Value;

use super::super::hard::DENIED;
use super::super::rules::Rules;
use super::{
    PRINT, PRINT_PLAN, PRINT_TRUST, PROJECT, TERMINAL, TERMINAL_TRUST, decide_on, ground, rules,
    shell,
};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skill/court/gate/corpus")
}

/// Every line of every file.
fn entries() -> Vec<Value> {
    let folders = [corpus(), corpus().join("rounds")];
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let lines = texts.iter().flat_map(|text| text.lines());
    let entries: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(entries.len() > 4_000, "{}", entries.len());
    entries
}

fn wrote(entry: &Value) -> Vec<Written> {
    let files = entry["wrote"].as_array().into_iter().flatten();
    let file = |file: &Value| Written {
        path: format!("{PROJECT}/{}", file["path"].as_str().unwrap()),
        content: file["content"].as_str().map(str::to_owned),
    };
    files.map(file).collect()
}

#[test]
fn every_line_of_the_corpora_has_the_level_that_it_has_in_the_court() {
    let frozen = fs::read_to_string(corpus().join("levels.tsv")).unwrap();
    let mut frozen: BTreeMap<&str, &str> =
        frozen.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let entries = entries();
    let mut different = Vec::new();
    for entry in &entries {
        let (id, command) = (entry["id"].as_str().unwrap(), entry["command"].as_str().unwrap());
        let judged = decide_on(TERMINAL, &Rules::default(), &shell(command), &wrote(entry));
        let level = judged.level.as_str();
        if frozen.remove(id) != Some(level) {
            different.push(format!("{id}: {level}"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
    assert!(frozen.is_empty(), "{frozen:?}");
}

/// The levels of a golden file, by id.
fn levels(file: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(corpus().join(file)).unwrap();
    let pair = |line: &str| line.split_once('\t').map(|(id, level)| (id.into(), level.into()));
    text.lines().map(|line| pair(line).unwrap()).collect()
}

/// XC-110: on a disk as the court's hook sees it, where nothing of the project is there.
#[test]
fn every_line_of_the_corpora_has_its_level_through_the_permissions() {
    let golden = levels("levels.tsv");
    let mut different = BTreeMap::new();
    for entry in entries().iter().filter(|entry| entry["wrote"].is_null()) {
        let command = entry["command"].as_str().unwrap();
        let folders = [Path::new(PROJECT), Path::new("/home/dev")];
        let disk = OnDisk::new("", folders, Duration::from_millis(500), Session::default);
        let judged = decide_on(TERMINAL, &Rules::default(), &shell(command), &disk);
        let (id, level) = (entry["id"].as_str().unwrap(), judged.level.as_str());
        if golden[id] != level {
            different.insert(id.to_owned(), level.to_owned());
        }
    }
    assert_eq!(different, levels("levels-absent.tsv"));
}

#[test]
fn nothing_of_the_corpora_runs_that_must_not() {
    let none = Rules::default();
    let everything = rules(&["shell(*)", "edit(*)"], &[], &[]);
    let mut denied = 0;
    for entry in entries() {
        let (id, action) = (&entry["id"], shell(entry["command"].as_str().unwrap()));
        let wrote = wrote(&entry);
        let found = ground().judge(&action, &none, &wrote);
        let is_hard = found.rules.iter().any(|rule| DENIED.contains(rule));
        let verdict = |column, rules| decide_on(column, rules, &action, &wrote).verdict;
        let judged = decide_on(TERMINAL, &none, &action, &wrote);
        match judged.level {
            CallLevel::L0 | CallLevel::L1 if !is_hard => {
                assert_eq!(verdict(PRINT_TRUST, &none), Verdict::Allow, "{id}");
            }
            level => {
                denied += 1;
                for rules in [&none, &everything] {
                    assert_eq!(verdict(PRINT_TRUST, rules), Verdict::Deny, "{id}");
                    assert_eq!(verdict(PRINT, rules), Verdict::Deny, "{id}");
                    assert_ne!(verdict(TERMINAL_TRUST, rules), Verdict::Allow, "{id}");
                }
                if is_hard || level == CallLevel::L3 {
                    assert_eq!(verdict(TERMINAL_TRUST, &everything), Verdict::Deny, "{id}");
                }
                assert!(!judged.is_grantable, "{id}");
            }
        }
        if judged.level != CallLevel::L0 {
            assert_ne!(judged.verdict, Verdict::Allow, "{id}");
            assert_eq!(verdict(PRINT, &none), Verdict::Deny, "{id}");
            assert_eq!(verdict(PRINT_PLAN, &everything), Verdict::Deny, "{id}");
        }
    }
    assert!(denied > 2_000, "{denied}");
}
