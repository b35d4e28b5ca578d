//! Packets of a turn without a transcript, and their folder.

use std::path::Path;
use std::time::{Duration, Instant};

use super::{CALLS, FOLDER, Turn, build, name, newest, next_seq, prune, write};
use crate::places::Places;
use crate::records::{AnchorKind, CallStatus, Kind, Ledger, Packet, ToolCallFact, digest};
use crate::store::Store;

fn store(folder: &Path) -> Store {
    let state = folder.join("state/codex-bridge");
    let places = Places::of(folder.to_owned(), folder.to_owned(), Some(state));
    Store::new(&places, Instant::now() + Duration::from_secs(60))
}

fn call(name: &str, what: &str, status: CallStatus) -> ToolCallFact {
    ToolCallFact { name: name.into(), path: None, what: Some(what.into()), status }
}

/// As a host knows it that ran the turn itself.
fn turn(ledger: &Ledger) -> Turn<'_> {
    Turn {
        session_id: "0198c0de",
        prompt_id: None,
        number: 3,
        began_ms: Some(1_000),
        calls: vec![
            call("shell", "cargo test", CallStatus::Error),
            call("shell", "rm -r build", CallStatus::Denied),
        ],
        statement: "One test fails.",
        git_head: Some("abc".into()),
        git_diff_stat: " a.rs | 2 +-".into(),
        limits: vec!["no sub-agents".into()],
        ledger,
        nodes: &[],
        session_began_ms: 500,
        background_tasks: 0,
        now_ms: 3_500,
    }
}

#[test]
fn a_turn_that_no_transcript_tells_of_makes_a_packet() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut ledger = Ledger::default();
    ledger.add(AnchorKind::TaskActive, None, "mend the test".into(), None, 1);
    let made = build(turn(&ledger));
    assert_eq!(write(&store, made.clone(), 10).unwrap(), 1);
    assert_eq!(newest(&store), Some(Packet { seq: 1, ..made.clone() }));
    assert_eq!(write(&store, made.clone(), 1).unwrap(), 2);
    let files = store.historian().inner(FOLDER);
    assert!(files.metadata(name(1)).is_none(), "only the newest is kept");

    let calls: Vec<_> = made.facts.tool_calls.iter().map(|it| (&*it.name, it.status)).collect();
    assert_eq!(calls, [("shell", CallStatus::Error), ("shell", CallStatus::Denied)]);
    assert_eq!(made.facts.final_statement, "One test fails.");
    assert_eq!((made.meta.duration_ms, made.meta.turn_id), (2_500, 3));
    assert_eq!(made.meta.limits, ["no sub-agents"]);
    assert_eq!(made.context_snapshot.active_concerns, ["ACTIVE: mend the test"]);
}

#[test]
fn a_packet_is_bounded_and_has_no_secret() {
    let ledger = Ledger::default();
    let token = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let calls = (0..CALLS + 5).map(|number| {
        call("shell", &format!("echo {number} {token}\n{}", "x".repeat(900)), CallStatus::Success)
    });
    let made = build(Turn { calls: calls.collect(), statement: token, ..turn(&ledger) });
    assert_eq!(made.facts.tool_calls.len(), CALLS);
    let first = made.facts.tool_calls[0].what.as_deref().unwrap();
    assert!(first.starts_with("echo 5 [REDACTED:github-pat] x"), "{first}");
    assert_eq!(first.chars().count(), 160);
    assert_eq!(made.facts.final_statement, "[REDACTED:github-pat]");
}

#[test]
fn packets_are_numbered_on_and_the_oldest_go() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let files = store.historian().inner(FOLDER);
    assert_eq!(next_seq(&files, 0), 1);
    assert_eq!(newest(&store), None);
    for seq in [2, 9, 10, 11, 12] {
        let made = Packet { seq, ..build(turn(&Ledger::default())) };
        let bytes = serde_json::to_vec(&made).unwrap();
        // The newest came with a clone.
        if seq != 12 {
            store.vouch(Kind::Packet, [digest(&bytes)]).unwrap();
        }
        files.replace(name(seq), &bytes).unwrap();
    }
    files.replace("fact_x.json", b"not ours").unwrap();
    assert_eq!((next_seq(&files, 3), next_seq(&files, 40)), (13, 41));
    prune(&files, 3).unwrap();
    assert!(files.metadata(name(9)).is_none() && files.metadata(name(10)).is_some());
    assert!(files.metadata("fact_x.json").is_some());
    assert_eq!(newest(&store).map(|packet| packet.seq), Some(11));
    files.replace(name(11), b"half a pack").unwrap();
    assert_eq!(newest(&store).map(|packet| packet.seq), Some(10));
}
