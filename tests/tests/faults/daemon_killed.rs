//! SIGKILL of the daemon at any moment: no process survives, and no accepted run is lost.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tests::harness::{Client, Daemon, send};
use tokio::task::JoinSet;

use crate::fixture::{GONE_WITHIN, ask, fake, in_turn, question, record, second_round, start};

const DEADLINE: Duration = Duration::from_secs(30);

const ROUNDS: u64 = 50;

/// The latest moment of a kill: a run of `ok` takes some 50 ms.
const MOMENT_MAX_MS: u64 = 150;

const MODES: [&str; 6] = ["ok", "hang", "ok-after 50", "tree 3", "ok", "ok-after 120"];

/// What a caller heard of a run before the daemon died.
#[derive(Debug, Clone, PartialEq)]
enum Heard {
    Accepted,
    Advice(Box<Value>),
}

/// Row 17. `FAULTS_SEED` repeats the moments of an earlier run.
#[tokio::test]
async fn a_kill_at_any_moment_loses_at_most_what_was_in_flight() {
    let seed = std::env::var("FAULTS_SEED").ok().and_then(|text| text.parse().ok());
    let seed = seed
        .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64);
    let _ = writeln!(std::io::stderr(), "FAULTS_SEED={seed}");
    let mut daemon = fake().env("CODEX_BRIDGE_MAX_RUNNING", "4").start().await.unwrap();
    let mut known: BTreeMap<String, Heard> = BTreeMap::new();
    let mut interrupted = 0;
    for round in 0..ROUNDS {
        let mut callers = JoinSet::new();
        for (place, mode) in MODES.iter().enumerate() {
            let (client, input) = (daemon.client().clone(), question(mode, DEADLINE));
            callers.spawn(call(client, input, place % 2 == 0));
        }
        let moment = Duration::from_millis(chance(seed, round) % (MOMENT_MAX_MS + 1));
        tokio::time::sleep(moment).await;
        daemon.kill().await.unwrap();
        let gone = daemon.is_idle_within(GONE_WITHIN).await;
        assert!(gone, "round {round}, {moment:?}: {:?}", daemon.children());
        let heard: Vec<_> = callers.join_all().await.into_iter().flatten().collect();
        daemon = daemon.restart().await.unwrap();
        for (run_id, heard) in &heard {
            interrupted += u32::from(check(&daemon, run_id, heard).await == "interrupted");
        }
        known.extend(heard);
    }
    // What was stored once stays as it was, however often the daemon is killed later.
    for (run_id, heard) in &known {
        check(&daemon, run_id, heard).await;
    }
    let left = daemon.client().get("/runs?state=running").await.unwrap().body;
    assert_eq!(left["runs"], serde_json::json!([]));
    let quarantined = std::fs::read_dir(daemon.folder().state()).unwrap().flatten();
    let quarantined: Vec<_> = quarantined
        .filter(|entry| entry.file_name().to_string_lossy().contains(".corrupt-"))
        .collect();
    assert!(quarantined.is_empty(), "{quarantined:?}");
    assert!(interrupted > 0, "no kill met a run in flight");
    let asked = ask(&daemon, &question("ok", DEADLINE)).await;
    assert_eq!(asked.verdict(), "200 advice, 1 attempts");
}

/// Asks, and tells what it heard; nothing where the daemon died first.
async fn call(client: Client, input: Value, is_attached: bool) -> Option<(String, Heard)> {
    let answer = match is_attached {
        true => client.analyze(&input).await.ok()?,
        false => client.analyze_async(&input).await.ok()?,
    };
    match answer.status {
        200 => {
            let run_id = answer.body["meta"]["run_id"].as_str().unwrap().to_owned();
            Some((run_id, Heard::Advice(Box::new(answer.body))))
        }
        202 => Some((answer.body["run_id"].as_str().unwrap().to_owned(), Heard::Accepted)),
        other => panic!("{other}: {:#}", answer.body),
    }
}

/// The run is known and has ended; advice is what was heard. Its state.
async fn check(daemon: &Daemon, run_id: &str, heard: &Heard) -> String {
    let record = record(daemon, run_id).await;
    let state = record["run"]["state"].as_str().unwrap().to_owned();
    match (state.as_str(), heard) {
        ("succeeded", Heard::Advice(advice)) => assert_eq!(record["outcome"], **advice),
        ("succeeded", Heard::Accepted) => {
            assert!(record["outcome"]["recommendation"].is_object(), "{record:#}");
        }
        ("interrupted", Heard::Accepted) => {
            assert_eq!(record["outcome"]["error"]["code"], "interrupted", "{record:#}");
        }
        _ => panic!("heard {heard:?}, found {record:#}"),
    }
    state
}

/// A number that the seed and the round determine.
fn chance(seed: u64, round: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    (seed, round).hash(&mut hasher);
    hasher.finish()
}

/// Row 17: a caller who waits for a run of a killed daemon hears how it ended.
#[tokio::test]
async fn an_interrupted_run_says_so_and_its_session_goes_on() {
    let daemon = fake().start().await.unwrap();
    let first = ask(&daemon, &question("ok", DEADLINE)).await;
    let session = first.answer.body["meta"]["session_id"].clone();
    let run_id = start(&daemon, &second_round(question("hang", DEADLINE), &session)).await;
    in_turn(&daemon, &run_id).await;
    let daemon = killed(daemon).await;

    let waited = daemon.client().get(&format!("/runs/{run_id}?wait=5")).await.unwrap();
    assert_eq!(waited.body["run"]["state"], "interrupted");
    assert_eq!(waited.body["outcome"]["error"]["code"], "interrupted");
    assert_eq!(waited.body["outcome"]["error"]["retryable"], true);
    let events = daemon.client().get(&format!("/runs/{run_id}/events")).await.unwrap();
    assert!(events.body.as_str().unwrap().contains("event: failure"), "{events:?}");

    let second = ask(&daemon, &second_round(question("ok", DEADLINE), &session)).await;
    assert_eq!(second.verdict(), "200 advice, 1 attempts");
    assert_eq!(second.answer.body["meta"]["round"], 2);
    // The killed turn left its prompt in the thread: it is forked as round 1 left it.
    let threads = [&first, &second].map(|asked| &asked.answer.body["meta"]["codex"]["thread_id"]);
    assert_ne!(threads[0], threads[1]);
}

/// Row 17: the same key after the restart is the same run, not a second one.
#[tokio::test]
async fn a_key_stands_for_its_run_after_a_kill() {
    let daemon = fake().start().await.unwrap();
    let keyed = |daemon: &Daemon| {
        let request = daemon.client().request(reqwest::Method::POST, "/analyze");
        request.header("idempotency-key", "once").header("prefer", "respond-async")
    };
    let input = question("hang", DEADLINE);
    let accepted = send(keyed(&daemon).json(&input)).await.unwrap();
    assert_eq!(accepted.status, 202);
    in_turn(&daemon, accepted.body["run_id"].as_str().unwrap()).await;
    let daemon = killed(daemon).await;
    let again = send(keyed(&daemon).json(&input)).await.unwrap();
    assert_eq!(again.body["run_id"], accepted.body["run_id"], "{again:?}");
    let other = send(keyed(&daemon).json(&question("ok", DEADLINE))).await.unwrap();
    assert_eq!(other.body["error"]["code"], "idempotency_conflict");
}

/// Killed and started again, with nothing left in between.
pub(crate) async fn killed(mut daemon: Daemon) -> Daemon {
    daemon.kill().await.unwrap();
    assert!(daemon.is_idle_within(GONE_WITHIN).await, "{:?}", daemon.children());
    daemon.restart().await.unwrap()
}
