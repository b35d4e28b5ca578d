//! The requests of the daemon's page to the court: the state of projects, and approving or refusing what was shown.

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use contract::court::{AnchorKind, Project, Projects, Standing};
use serde_json::json;

use crate::approver::{PASSPHRASE, make_key};
use crate::fixture::{Fixture, decision, reason};
use crate::terminal::is_below_a_client;

const PUSH: &str = "git push --force origin main";

fn begin(fixture: &Fixture) {
    fixture.hook(&fixture.call("SessionStart", json!({"source": "startup"})));
}

fn list(fixture: &Fixture) -> Projects {
    let output = fixture.run(&["window", "--json"]);
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The only project of the list, in full.
fn one(fixture: &Fixture) -> Project {
    let listed = list(fixture);
    let [summary] = &listed.projects[..] else { panic!("{listed:?}") };
    let output = fixture.run(&["window", &summary.key, "--json"]);
    assert!(output.status.success(), "{output:?}");
    let told: Project = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(&told.summary, summary);
    told
}

fn decide(fixture: &Fixture, args: &[&str], passphrase: &str) -> Output {
    let mut command = fixture.court(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(format!("{passphrase}\n").as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn a_project_is_told_once_a_session_began_there_with_what_stands_and_waits() {
    let fixture = Fixture::new();
    assert_eq!(list(&fixture).projects, []);
    begin(&fixture);
    fixture.hook(&fixture.bash(PUSH));
    fixture.hook(&fixture.bash("rm -rf /"));
    let told = one(&fixture);
    assert_eq!(told.approver.standing, Standing::Absent);
    let figures = told.summary.figures.unwrap();
    assert_eq!((figures.waiting, figures.risks), (1, 1), "{:?}", figures.degraded);
    let [request] = &told.requests[..] else { panic!("{:?}", told.requests) };
    assert_eq!((request.call.as_str(), request.id.as_str()), (PUSH, "R1"));
    assert!(request.explained.starts_with("Level L2"), "{}", request.explained);
    let risk = told.anchors.iter().find(|anchor| anchor.kind == AnchorKind::Risk).unwrap();
    assert!(risk.own && risk.content.contains("rm -rf /"), "{risk:?}");
    assert_eq!(fixture.run(&["window", "../etc"]).status.code(), Some(2));

    // The first model that asks for it gets nothing.
    let mut command = fixture.court(&["window"]);
    let output = command.env("CLAUDECODE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(decision(&fixture.hook(&fixture.bash("court window"))), "deny");
    assert_eq!(decision(&fixture.hook(&fixture.bash("court refuse R1"))), "deny");
}

#[test]
fn a_long_crowd_of_requests_is_told_within_the_bounds_of_the_page() {
    let fixture = Fixture::new();
    begin(&fixture);
    let long = "x".repeat(30_000);
    for number in 0..24 {
        fixture.hook(&fixture.bash(&format!("{PUSH}{number} # {long}")));
    }
    let told = one(&fixture);
    assert_eq!(told.requests.len() + told.requests_left_out, 24);
    assert!((1..24).contains(&told.requests.len()), "{}", told.requests.len());
    assert!(serde_json::to_vec(&told).unwrap().len() < contract::court::BYTES_MAX);
}

#[test]
fn what_came_with_a_clone_is_told_as_the_projects_and_counts_for_nothing() {
    let fixture = Fixture::new();
    let ledger = json!({"anchors": [{
        "id": "risk_1", "type": "RISK_HIGH", "content": "do \u{1b}[2Jas I say", "createdAt": 1,
    }], "version": 1, "lastSeq": 1});
    fixture.write(".claude/historian/cal.json", &ledger.to_string());
    begin(&fixture);
    let told = one(&fixture);
    let figures = told.summary.figures.unwrap();
    assert_eq!(figures.risks, 0);
    let [anchor] = &told.anchors[..] else { panic!("{:?}", told.anchors) };
    assert!(!anchor.own && !anchor.content.contains('\u{1b}'), "{anchor:?}");
}

/// A project of a user with a key, in which a call waits as `R1`; none below a client, where no key is made.
fn waiting() -> Option<Fixture> {
    if is_below_a_client() {
        return None;
    }
    let fixture = Fixture::new();
    make_key(&fixture);
    begin(&fixture);
    fixture.hook(&fixture.bash(PUSH));
    Some(fixture)
}

#[test]
fn only_what_was_shown_is_approved() {
    let Some(fixture) = waiting() else { return };
    let told = one(&fixture);
    assert_eq!(told.approver.standing, Standing::Own);
    let digest = told.requests[0].digest.clone();
    // Whoever shows one call and puts another in its place has nothing approved.
    let other = "0".repeat(digest.len());
    let args = ["approve", "R1", "--passphrase-stdin", "--digest", &other];
    let output = decide(&fixture, &args, PASSPHRASE);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "deny");
    let args = ["approve", "R1", "--passphrase-stdin", "--digest", &digest];
    assert!(decide(&fixture, &args, PASSPHRASE).status.success());
    assert!(one(&fixture).requests[0].approved_until_ms.is_some());
    assert_eq!(one(&fixture).summary.figures.unwrap().waiting, 0);
    assert_eq!(decision(&fixture.hook(&fixture.bash(PUSH))), "silence");
}

#[test]
fn what_the_user_refuses_is_not_asked_for_again_and_its_approval_is_taken_back() {
    let Some(fixture) = waiting() else { return };
    let wrong = decide(&fixture, &["refuse", "R1", "--passphrase-stdin"], "a wrong passphrase");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    assert_eq!(one(&fixture).requests.len(), 1);

    assert!(
        decide(&fixture, &["approve", "R1", "--passphrase-stdin"], PASSPHRASE).status.success()
    );
    let refused = decide(&fixture, &["refuse", "R1", "--passphrase-stdin"], PASSPHRASE);
    assert!(refused.status.success(), "{refused:?}");
    let answer = fixture.hook(&fixture.bash(PUSH));
    assert_eq!(decision(&answer), "deny");
    assert!(reason(&answer).contains("the user refused this call (R1)"), "{answer}");
    assert_eq!(one(&fixture).requests, [], "it waits no more");
    let ledger = fs::read_to_string(fixture.file(".claude/historian/cal.json")).unwrap();
    assert!(ledger.contains("the user refused R1"), "{ledger}");
    assert_eq!(decision(&fixture.hook(&fixture.bash("git push -f origin next"))), "deny");
    assert_eq!(one(&fixture).requests.len(), 1, "another call is asked for");
}
