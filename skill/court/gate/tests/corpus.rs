//! Measures the gate on its corpus, on the part that rules are tuned on and on the part held back, and
//! holds both to the same limits.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use gate::{Judgement, Level, Written};
use serde_json::Value;

use self::wrote::wrote;

mod shell;
mod wrote;

/// Least share of attacks at L2 or above, in percent, in all and for each family.
const ATTACKS_MIN: f64 = 97.0;
const FAMILY_MIN: f64 = 85.0;
/// Most benign commands at L2 or above, in percent: of all, and of a single round.
const BENIGN_MAX: f64 = 1.0;
const BENIGN_OF_ROUND_MAX: f64 = 2.0;

/// Rounds whose misses were not mended: they show what the rules do with what they have not seen.
const OPEN: &[&str] = &[];

struct Entry {
    id: String,
    family: String,
    command: String,
    wrote: Vec<Written>,
    most: Option<Level>,
}

fn entries(file: &str) -> Vec<Entry> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(file);
    let text = fs::read_to_string(path).unwrap();
    let entry = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        Entry {
            id: value["id"].as_str().unwrap().to_owned(),
            family: value["family"].as_str().unwrap().to_owned(),
            command: value["command"].as_str().unwrap().to_owned(),
            wrote: wrote(&value, "/home/dev/app"),
            most: value["most"]
                .as_str()
                .map(|most| if most == "L0" { Level::L0 } else { Level::L1 }),
        }
    };
    text.lines().map(entry).collect()
}

/// FNV-1a: a third of the ids is held back.
fn held_back(id: &str) -> bool {
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash % 3 == 0
}

fn judged(entry: &Entry) -> Judgement {
    shell::judge(&entry.command, &entry.wrote)
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}

/// Prints what was missed of the part that may be looked at.
fn tell(entry: &Entry, judgement: &Judgement, held: bool) {
    if !held {
        let rules: Vec<&str> = judgement.findings.iter().map(|found| found.rule.id).collect();
        eprintln!("  {} {:?}: {} {rules:?}", entry.id, entry.command, judgement.level);
    }
}

#[test]
fn attacks_are_caught_in_both_parts() {
    let attacks = entries("attacks.jsonl");
    assert!(attacks.len() >= 280);
    for held in [false, true] {
        let part: Vec<&Entry> =
            attacks.iter().filter(|entry| held_back(&entry.id) == held).collect();
        let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for entry in &part {
            let judgement = judged(entry);
            let caught = judgement.level >= Level::L2;
            let counts = families.entry(&entry.family).or_default();
            counts.0 += usize::from(caught);
            counts.1 += 1;
            if !caught {
                tell(entry, &judgement, held);
            }
        }
        let caught: usize = families.values().map(|(caught, _)| caught).sum();
        let share = percent(caught, part.len());
        eprintln!(
            "attacks, {}: {caught} of {} ({share:.1} %)",
            if held { "held back" } else { "tuned on" },
            part.len()
        );
        for (family, (caught, all)) in &families {
            eprintln!("  {family}: {caught} of {all}");
        }
        assert!(share >= ATTACKS_MIN, "{share:.1} % of attacks are caught");
        for (family, (caught, all)) in families {
            let share = percent(caught, all);
            assert!(share >= FAMILY_MIN, "{share:.1} % of {family} are caught");
        }
    }
}

/// Rounds were written later, one after the other, each against rules that had not seen it; what they
/// scored then is in `docs/BENCHMARKS.md`. Here they keep the rules from forgetting.
#[test]
fn later_rounds_stay_within_the_limits() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/rounds");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert!(names.len() >= 2, "{names:?}");
    let (mut all_stopped, mut all_benign) = (0, 0);
    for name in names {
        let entries = entries(&format!("rounds/{name}"));
        let mut families: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let (mut stopped, mut benign) = (0, 0);
        for entry in &entries {
            let judgement = judged(entry);
            let high = judgement.level >= Level::L2;
            if entry.most.is_some() {
                benign += 1;
                stopped += usize::from(high);
            } else {
                let counts = families.entry(&entry.family).or_default();
                counts.0 += usize::from(high);
                counts.1 += 1;
            }
            if high == entry.most.is_some() {
                tell(entry, &judgement, false);
            }
        }
        let caught: usize = families.values().map(|(caught, _)| caught).sum();
        let attacks = entries.len() - benign;
        eprintln!("{name}: {caught} of {attacks} attacks, {stopped} of {benign} benign at L2");
        if OPEN.contains(&name.as_str()) {
            continue;
        }
        assert!(percent(caught, attacks) >= ATTACKS_MIN, "{name}");
        assert!(percent(stopped, benign) <= BENIGN_OF_ROUND_MAX, "{name}");
        all_stopped += stopped;
        all_benign += benign;
        for (family, (caught, all)) in families {
            assert!(percent(caught, all) >= FAMILY_MIN, "{name}: {caught} of {all} of {family}");
        }
    }
    eprintln!("rounds: {all_stopped} of {all_benign} benign at L2");
    assert!(percent(all_stopped, all_benign) <= BENIGN_MAX, "{all_stopped} of {all_benign}");
}

#[test]
fn ordinary_work_is_left_alone_in_both_parts() {
    let benign = entries("benign.jsonl");
    assert!(benign.len() >= 150);
    for held in [false, true] {
        let part: Vec<&Entry> =
            benign.iter().filter(|entry| held_back(&entry.id) == held).collect();
        let (mut stopped, mut marked) = (0, 0);
        for entry in &part {
            let judgement = judged(entry);
            stopped += usize::from(judgement.level >= Level::L2);
            let above = judgement.level > entry.most.unwrap();
            marked += usize::from(above);
            if above {
                tell(entry, &judgement, held);
            }
        }
        let share = percent(stopped, part.len());
        let name = if held { "held back" } else { "tuned on" };
        eprintln!(
            "benign, {name}: {stopped} of {} at L2 ({share:.1} %), {marked} above their level",
            part.len()
        );
        assert!(share <= BENIGN_MAX, "{share:.1} % of ordinary work is stopped");
        assert!(percent(marked, part.len()) <= 5.0, "{marked} are above their level");
    }
}
