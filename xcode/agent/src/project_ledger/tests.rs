//! Risks are shown to the user as data, and a session's outcome is recorded in the ledger once, as the court's own.

use std::fs;
use std::path::{Path, PathBuf};

use contract::xc::SessionSummary;
use host::Environment;
use ledger::records::{AnchorKind, Ledger};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Hand, ProjectLedger, Risk, changes};
use crate::places::Places;

const SESSION: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";
const OTHER: &str = "0199a213-81c0-7800-8aa1-bbab2a035a54";
const WEEK_MS: u64 = 7 * 24 * 3_600_000;

/// A home folder with a project in it.
struct Somewhere {
    home: TempDir,
}

impl Somewhere {
    /// With a ledger of these anchors.
    fn with(anchors: &Value) -> Self {
        let somewhere = Self { home: tempfile::tempdir().unwrap() };
        somewhere.write(&json!({"anchors": anchors, "version": 1, "lastSeq": 9}).to_string());
        somewhere
    }

    fn root(&self) -> PathBuf {
        self.home.path().join("p")
    }

    fn file(&self) -> PathBuf {
        self.root().join(".claude/historian/cal.json")
    }

    fn write(&self, text: &str) {
        fs::create_dir_all(self.file().parent().unwrap()).unwrap();
        fs::create_dir_all(self.root().join(".git")).unwrap();
        fs::write(self.file(), text).unwrap();
    }

    fn found(&self, root: &Path) -> Option<ProjectLedger> {
        let environment = Environment::default().with("HOME", self.home.path());
        ProjectLedger::find(&environment, &Places::new(self.home.path(), root))
    }

    fn ledger(&self) -> ProjectLedger {
        self.found(&self.root()).unwrap()
    }

    /// What stands in the ledger as its own, by kind and words.
    fn own(&self) -> Vec<(AnchorKind, String)> {
        let ledger = self.ledger().store().look().unwrap();
        ledger.anchors.into_iter().map(|anchor| (anchor.kind, anchor.content)).collect()
    }
}

fn summary(id: &str, pending: &[&str], decisions: &[&str]) -> SessionSummary {
    let status = if pending.is_empty() { "completed" } else { "in_progress" };
    serde_json::from_value(json!({
        "id": id, "title": "the fence", "startedAt": "2026-11-22T20:15:00.123Z",
        "endedAt": "2026-11-22T20:16:00.123Z", "status": status, "summary": "1 prompt.",
        "keyResults": [], "pendingWork": pending, "filesModified": [], "decisions": decisions,
        "journal": "x.jsonl", "model": null, "costUsd": null
    }))
    .unwrap()
}

fn anchor(id: &str, kind: &str, content: &str) -> Value {
    json!({"id": id, "type": kind, "content": content, "createdAt": 1})
}

#[test]
fn risks_are_data_and_looking_changes_nothing() {
    let somewhere = Somewhere::with(&json!([
        anchor("decision_1", "DECISION", "doors open inwards"),
        anchor("risk_2", "RISK_HIGH", "the back door\n\u{1b}[31mis open\u{202e}"),
        anchor("risk_3\u{7}", "RISK_HIGH", "key ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        anchor("risk_4", "RISK_HIGH", "\u{1b}[2J"),
    ]));
    let (before, risk) = (fs::read(somewhere.file()).unwrap(), |id: &str, words: &str| Risk {
        id: id.to_owned(),
        words: words.to_owned(),
        hand: Hand::Foreign,
    });
    let expected =
        [risk("risk_3", "key [REDACTED:github-pat]"), risk("risk_2", "the back door is open")];
    assert_eq!(somewhere.ledger().risks().unwrap(), expected);
    for damaged in ["{", "[]", "{\"version\": 99}", ""] {
        somewhere.write(damaged);
        let why = somewhere.ledger().risks().unwrap_err();
        assert!(why.contains("cal.json"), "{why}");
        assert_eq!(fs::read_to_string(somewhere.file()).unwrap(), damaged);
    }
    fs::write(somewhere.file(), before).unwrap();
    let names = fs::read_dir(somewhere.file().parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1, "nothing but the ledger is there");
    assert_eq!(fs::read_dir(somewhere.home.path()).unwrap().count(), 1, "no state was made");
}

#[test]
fn what_a_session_came_to_stands_there_once() {
    let somewhere = Somewhere::with(&json!([anchor("risk_2", "RISK_HIGH", "foreign")]));
    let ledger = somewhere.ledger();
    let came_to = summary(SESSION, &["build the fence", " "], &["JWT or session? JWT", "a\u{7}b"]);
    ledger.settle(&came_to, None).unwrap();
    let open = "left open in a session of xc: build the fence";
    let all = vec![
        (AnchorKind::TaskActive, open.to_owned()),
        (AnchorKind::Decision, "JWT or session? JWT".to_owned()),
        (AnchorKind::Decision, "ab".to_owned()),
    ];
    assert_eq!(somewhere.own(), all);
    let written = fs::read(somewhere.file()).unwrap();
    ledger.settle(&came_to, None).unwrap();
    assert_eq!(fs::read(somewhere.file()).unwrap(), written, "the same again is nothing");
    let kept: Ledger = serde_json::from_slice(&written).unwrap();
    assert_eq!(kept.anchors[0].content, "foreign", "what was there stays");
    // Another session leaves it alone; done, it is closed, and decisions stay.
    ledger.settle(&summary(OTHER, &[], &[]), None).unwrap();
    assert_eq!(somewhere.own(), all);
    ledger.settle(&summary(SESSION, &[], &["another"]), None).unwrap();
    let own = somewhere.own();
    assert!(own.iter().all(|(kind, _)| *kind == AnchorKind::Decision), "{own:?}");
    assert_eq!(own.len(), 3);
}

#[test]
fn open_work_ends_with_who_took_it_over_or_gave_it_up() {
    let somewhere = Somewhere::with(&json!([]));
    let ledger = somewhere.ledger();
    let open = summary(SESSION, &["build the fence"], &[]);
    ledger.settle(&open, None).unwrap();
    ledger.settle(&summary(OTHER, &[], &[]), Some(open.id)).unwrap();
    assert_eq!(somewhere.own(), []);
    ledger.settle(&open, None).unwrap();
    assert_eq!(somewhere.own().len(), 1);
    let status = contract::xc::SessionStatus::Abandoned;
    ledger.settle(&SessionSummary { status, ..open }, None).unwrap();
    assert_eq!(somewhere.own(), []);
}

#[test]
fn open_work_is_waited_for_a_week() {
    let somewhere = Somewhere::with(&json!([]));
    somewhere.ledger().settle(&summary(SESSION, &["build the fence"], &[]), None).unwrap();
    let ledger = somewhere.ledger().store().look().unwrap();
    let (made, other) = (ledger.anchors[0].created_at, summary(OTHER, &[], &[]));
    assert_eq!(changes(&ledger, &other, None, made + WEEK_MS), []);
    assert_eq!(changes(&ledger, &other, None, made + WEEK_MS + 1).len(), 1);
}

#[test]
fn a_ledger_is_found_around_the_workspace_and_nowhere_else() {
    let somewhere = Somewhere::with(&json!([]));
    let below = somewhere.root().join("src");
    fs::create_dir_all(&below).unwrap();
    assert!(somewhere.found(&below).is_some());
    let other = somewhere.home.path().join("other");
    fs::create_dir_all(&other).unwrap();
    assert!(somewhere.found(&other).is_none());
    // The home folder's own is for who works there.
    let homes = somewhere.home.path().join(".claude/historian");
    fs::create_dir_all(&homes).unwrap();
    fs::write(homes.join("cal.json"), "{}").unwrap();
    assert!(somewhere.found(&other).is_none());
    assert!(somewhere.found(somewhere.home.path()).is_some());
    // A link is not read.
    fs::rename(somewhere.file(), somewhere.root().join("elsewhere.json")).unwrap();
    std::os::unix::fs::symlink(somewhere.root().join("elsewhere.json"), somewhere.file()).unwrap();
    assert!(somewhere.found(&somewhere.root()).is_none());
}
