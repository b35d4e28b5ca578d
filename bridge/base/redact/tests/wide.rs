//! The score on the wide corpora: hundreds of token formats, odd ways to write a secret down, and
//! ordinary lines. A third of each (`-held`) was kept apart while the rules were written.
//!
//! Secrets lie in pieces in the files and are joined here, so that no scanner stops a push.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use redact::Redactor;
use serde_json::Value;

/// So many letters and digits of a secret in a row count as a leak.
const LEAK: usize = 8;

fn fixture(name: &str) -> String {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/redact").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

struct Case {
    id: String,
    text: String,
    secrets: Vec<String>,
}

fn case(line: &str) -> Case {
    let value: Value = serde_json::from_str(line).unwrap();
    let joined = |parts: &Value| -> String {
        parts.as_array().unwrap().iter().map(|part| part.as_str().unwrap()).collect()
    };
    let secrets: Vec<String> = value["parts"].as_array().unwrap().iter().map(joined).collect();
    let mut text = value["text"].as_str().unwrap().to_owned();
    for secret in &secrets {
        text = text.replacen("{}", secret, 1);
    }
    let id = value.get("id").unwrap_or(&value["kind"]).as_str().unwrap().to_owned();
    Case { id, text, secrets }
}

/// Letters and digits alone, wide forms as their ASCII twins; a marker becomes one other character.
fn bones(text: &str) -> Vec<char> {
    let unmarked: String = text
        .split("[REDACTED:")
        .enumerate()
        .map(|(index, part)| match (index, part.split_once(']')) {
            (1.., Some((_, rest))) => format!("\u{1}{rest}"),
            _ => part.to_owned(),
        })
        .collect();
    let narrow = |char: char| match u32::from(char) {
        wide @ 0xff01..=0xff5e => char::from_u32(wide - 0xfee0).unwrap(),
        _ => char,
    };
    unmarked.chars().map(narrow).filter(|char| char.is_alphanumeric() || *char == '\u{1}').collect()
}

fn leaks(output: &str, secret: &str) -> bool {
    let (output, secret) = (bones(output), bones(secret));
    let length = secret.len().min(LEAK);
    secret.windows(length).any(|window| output.windows(length).any(|other| other == window))
}

fn say(redactor: &Redactor, text: &str) -> String {
    redactor.sanitize(text, redact::Cut::NONE).text.into_owned()
}

fn recall(name: &str) -> f64 {
    let redactor = Redactor::new();
    let (mut total, mut caught) = (0u32, 0u32);
    let mut missed: BTreeMap<String, u32> = BTreeMap::new();
    for line in fixture(name).lines() {
        let case = case(line);
        let output = say(&redactor, &case.text);
        let leaked = case.secrets.iter().any(|secret| leaks(&output, secret));
        total += 1;
        caught += u32::from(!leaked);
        if leaked {
            *missed.entry(case.id.clone()).or_insert(0) += 1;
            if std::env::var_os("REDACT_SHOW").is_some() && !name.contains("held") {
                println!("MISSED {} {:?}\n    -> {output:?}", case.id, case.text);
            }
        }
    }
    let recall = f64::from(caught) / f64::from(total);
    println!("{name}: {caught}/{total}, recall {:.2} %", recall * 100.0);
    if !name.contains("held") {
        println!("{name}: missed {missed:?}");
    }
    recall
}

fn touched(name: &str) -> f64 {
    let redactor = Redactor::new();
    let text = fixture(name);
    let (mut total, mut touched) = (0u32, 0u32);
    for line in text.lines() {
        total += 1;
        let output = say(&redactor, line);
        if output != line {
            touched += 1;
            if !name.contains("held") {
                println!("TOUCHED {line}\n     -> {output}");
            }
        }
    }
    let rate = f64::from(touched) / f64::from(total);
    println!("{name}: {touched}/{total} lines touched, {:.2} %", rate * 100.0);
    rate
}

#[test]
fn token_formats_are_masked() {
    for name in ["formats-seen.jsonl", "formats-held.jsonl"] {
        let recall = recall(name);
        assert!(recall >= 0.97, "{name}: {recall}");
    }
}

#[test]
fn odd_spellings_are_masked() {
    for name in ["spellings-seen.jsonl", "spellings-later.jsonl", "spellings-held.jsonl"] {
        let recall = recall(name);
        assert!(recall >= 0.8, "{name}: {recall}");
    }
}

#[test]
fn ordinary_lines_stay_as_they_are() {
    for name in ["ordinary-seen.txt", "ordinary-held.txt"] {
        let rate = touched(name);
        assert!(rate <= 0.01, "{name}: {rate}");
    }
}

/// Three lists that were written later, in one go and before the rules were opened, a third of each held out; and
/// siblings of what they showed to be missed, written before the rules were changed.
#[test]
fn the_lists_of_november_2026_keep_their_rates() {
    for (name, least) in [
        ("formats-2026-11.jsonl", 0.98),
        ("formats-2026-11-held.jsonl", 0.98),
        ("spellings-2026-11.jsonl", 0.92),
        ("spellings-2026-11-held.jsonl", 0.84),
        ("formats-2026-11-siblings.jsonl", 0.97),
        ("spellings-2026-11-siblings.jsonl", 0.8),
    ] {
        let recall = recall(name);
        assert!(recall >= least, "{name}: {recall}");
    }
    for name in
        ["ordinary-2026-11.txt", "ordinary-2026-11-held.txt", "ordinary-2026-11-siblings.txt"]
    {
        let rate = touched(name);
        assert!(rate <= 0.01, "{name}: {rate}");
    }
}

/// Three lists of one day, written in one go before the rules were opened.
#[test]
fn the_lists_of_25_november_2026_keep_their_rates() {
    for (name, least) in [("formats-2026-11-25.jsonl", 0.99), ("spellings-2026-11-25.jsonl", 0.92)]
    {
        let recall = recall(name);
        assert!(recall >= least, "{name}: {recall}");
    }
    let rate = touched("ordinary-2026-11-25.txt");
    assert!(rate <= 0.01, "{rate}");
}

/// Three lists of the next day, a third of each held out, written in one go before the rules were opened.
#[test]
fn the_lists_of_26_november_2026_keep_their_rates() {
    for (name, least) in [
        ("formats-2026-11-26.jsonl", 0.98),
        ("formats-2026-11-26-held.jsonl", 0.95),
        ("formats-2026-11-26-second.jsonl", 0.99),
        ("formats-2026-11-26-siblings.jsonl", 0.94),
        ("formats-2026-11-26-third.jsonl", 0.98),
        ("formats-2026-11-26-drawn.jsonl", 0.98),
        ("formats-2026-11-26-drawn-2.jsonl", 0.96),
        ("formats-2026-11-26-drawn-3.jsonl", 0.97),
        ("spellings-2026-11-26-siblings.jsonl", 0.92),
        ("spellings-2026-11-26-second.jsonl", 0.93),
        ("spellings-2026-11-26.jsonl", 0.92),
        ("spellings-2026-11-26-held.jsonl", 0.8),
    ] {
        let recall = recall(name);
        assert!(recall >= least, "{name}: {recall}");
    }
    for name in [
        "ordinary-2026-11-26.txt",
        "ordinary-2026-11-26-held.txt",
        "ordinary-2026-11-26-second.txt",
        "ordinary-2026-11-26-siblings.txt",
        "ordinary-2026-11-26-third.txt",
    ] {
        let rate = touched(name);
        assert!(rate <= 0.01, "{name}: {rate}");
    }
}
