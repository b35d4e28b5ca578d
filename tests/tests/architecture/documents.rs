//! What is written down for readers: it is there, its links lead somewhere, and what it claims of the
//! tests is true.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::ops::RangeInclusive;
use std::time::Duration;

use codex_bridge::metrics::{AttemptSample, RunSample};
use contract::advice::{DriverKind, Usage};
use contract::run::RunState;

use crate::tree::{File, files, sources, toml, top};

/// The requirements, each of which has a row in docs/REQUIREMENTS.md.
const REQUIREMENTS: &[(&str, RangeInclusive<u32>)] =
    &[("ADV", 1..=21), ("ATO", 1..=29), ("CRT", 0..=18), ("SC-ATO", 1..=9), ("REQ-ATO", 1..=9)];

/// What a newcomer looks for.
const DOCUMENTS: &[&str] = &[
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "README.zh-CN.md",
    "SECURITY.md",
    "STYLE.md",
    "docs/BENCHMARKS.md",
    "docs/CODE-INTEL.md",
    "docs/COURT-FACTS.md",
    "docs/COURT.md",
    "docs/FIRST-HOUR.md",
    "docs/GATE.md",
    "docs/HTTP.md",
    "docs/INSTALL.md",
    "docs/MODELS.md",
    "docs/OPERATIONS.md",
    "docs/ORCHESTRATOR.md",
    "docs/REFERENCE.md",
    "docs/RELEASING.md",
    "docs/REQUIREMENTS.md",
    "docs/SCREENS.md",
    "docs/XCODE.md",
    "docs/decisions.md",
    "schemas/README.md",
];

#[test]
fn every_document_is_there() {
    for document in DOCUMENTS {
        assert!(top().join(document).exists(), "{document} is missing");
    }
}

/// Most lines of ARCHITECTURE.md: it is read in one sitting.
const ARCHITECTURE_LINES_MAX: usize = 250;

#[test]
fn the_architecture_is_short_and_names_every_crate() {
    let text = fs::read_to_string(top().join("ARCHITECTURE.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines <= ARCHITECTURE_LINES_MAX, "{lines} lines");
    let rows: Vec<&str> = text.lines().filter_map(|line| line.split('|').nth(1)).collect();
    for member in toml("Cargo.toml")["workspace"]["members"].as_array().unwrap() {
        let named = format!("`{}`", member.as_str().unwrap());
        assert!(rows.iter().any(|row| row.contains(&named)), "no row for {named}");
    }
}

/// Each has one number for good: others quote it.
#[test]
fn the_decisions_are_numbered_in_order() {
    let text = fs::read_to_string(top().join("docs/decisions.md")).unwrap();
    let mut numbers = 0;
    for line in text.lines().filter(|line| line.contains("**") && !line.starts_with(' ')) {
        numbers += 1;
        assert!(line.starts_with(&format!("{numbers}. **")), "not number {numbers}: {line}");
    }
    assert!(numbers > 40, "only {numbers} decisions");
}

#[test]
fn every_link_in_a_document_leads_somewhere() {
    for file in files().iter().filter(|file| file.path.ends_with(".md")) {
        let folder = top().join(&file.path).parent().unwrap().to_owned();
        for target in file.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap();
            let elsewhere = path.is_empty() || path.contains("://") || path.contains(' ');
            assert!(elsewhere || folder.join(path).exists(), "{}: {target}", file.path);
        }
    }
}

/// Folders in which a quoted path begins.
const ROOTS: &[&str] = &[
    "bridge/", "skill/", "xcode/", "tests/", "schemas/", "deploy/", "docs/", ".config/", ".github/",
];

/// A document that quotes a path takes part in its move. The changelog tells of older trees.
#[test]
fn every_path_that_a_document_quotes_is_there() {
    let (mut there, mut missing) = (0, Vec::new());
    for file in files() {
        if !file.path.ends_with(".md") || file.path == "CHANGELOG.md" {
            continue;
        }
        let quoted =
            file.text.split('`').filter(|word| ROOTS.iter().any(|root| word.starts_with(root)));
        for path in quoted.filter(|word| !word.contains(['*', ' ', '\n', '<', ':'])) {
            if top().join(path).exists() {
                there += 1;
            } else {
                missing.push(format!("{}: {path}", file.path));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(there > 50, "only {there} paths are quoted");
}

#[test]
fn every_requirement_has_a_row_and_every_test_it_names_is_one() {
    let files = files();
    let guide = files.iter().find(|file| file.path == "docs/REQUIREMENTS.md").unwrap();
    let rows = tests::requirements::rows(&guide.text);
    let known = tests_of(&sources());
    for row in &rows {
        for test in &row.tests {
            assert!(known.contains(*test), "{:?} names {test}, which is no test", row.numbers);
        }
    }
    let named: BTreeSet<&str> = rows.iter().flat_map(|row| row.numbers.iter().copied()).collect();
    for (prefix, numbers) in REQUIREMENTS {
        for number in numbers.clone() {
            let number = match *prefix {
                "SC-ATO" | "REQ-ATO" => format!("{prefix}-{number:03}"),
                _ => format!("{prefix}-{number}"),
            };
            assert!(named.contains(number.as_str()), "{number} has no row");
        }
    }
}

#[test]
fn every_test_that_holds_a_promise_of_security_is_one() {
    let files = files();
    let guide = files.iter().find(|file| file.path == "SECURITY.md").unwrap();
    let known = tests_of(&sources());
    let quoted = guide.text.split('`').skip(1).step_by(2);
    let named: BTreeSet<&str> = quoted.filter(|name| is_sentence(name)).collect();
    assert!(named.len() > 80, "{named:?}");
    for test in named {
        assert!(known.contains(test), "SECURITY.md names {test}, which is no test");
    }
}

/// Whether this is the name of a test: a sentence in snake case, of three words or more.
fn is_sentence(name: &str) -> bool {
    let usual = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_';
    name.matches('_').count() > 1 && name.chars().all(usual) && !name.starts_with('_')
}

/// The functions that carry an attribute of a test.
fn tests_of(sources: &[File]) -> HashSet<String> {
    let mut known = HashSet::new();
    for source in sources {
        let mut is_test = false;
        for line in source.text.lines() {
            let attribute = line.trim_start().starts_with("#[");
            if let Some((_, head)) = line.split_once("fn ").filter(|_| is_test && !attribute) {
                known.extend(head.split_once('(').map(|(name, _)| name.to_owned()));
            }
            is_test = attribute && (is_test || line.contains("test"));
        }
    }
    known
}

#[test]
fn the_operators_guide_knows_every_failure_and_every_metric() {
    let files = files();
    let guide = &files.iter().find(|file| file.path == "docs/OPERATIONS.md").unwrap().text;
    for code in contract::failure::FailureCode::ALL {
        let row = format!("\n| `{}` | ", code.as_str());
        assert!(guide.contains(&row), "no row for {}", code.as_str());
    }
    let metrics = every_series();
    let mut series = 0;
    for line in metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
        let (name, kind) = line.split_once(' ').unwrap();
        let suffix = if kind == "counter" { "_total" } else { "" };
        assert!(guide.contains(&format!("`{name}{suffix}`")), "{name}{suffix} is not told");
        series += 1;
    }
    assert!(series > 10, "{metrics}");
    // What an alert looks at exists.
    for word in guide.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let base = word.trim_end_matches("_total").trim_end_matches("_bucket");
        let exists = metrics.contains(&format!("# TYPE {base} "));
        assert!(!word.starts_with("codex_bridge_") || exists, "{word} is no series");
    }
}

/// What the daemon exports once each thing has happened.
fn every_series() -> String {
    let metrics = codex_bridge::metrics::Metrics::new();
    metrics.observe_request("/analyze", "ok");
    metrics.observe_run(RunSample {
        state: RunState::Succeeded,
        code: None,
        queued: Duration::ZERO,
        total: Duration::ZERO,
        usage: Some(Usage::default()),
    });
    metrics.observe_attempt(AttemptSample {
        code: None,
        first_event: Some(Duration::ZERO),
        duration: Duration::ZERO,
        signal: Some("interrupt"),
        driver: DriverKind::Exec,
        refused_requests: 0,
    });
    metrics.render()
}
