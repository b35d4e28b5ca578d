//! How a model goes on, seen while it does, through the real Codex and a provider that takes its time.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use mock_model::{Beat, Fault, MockModel, Part, Piece, Reply, Script, Trouble, Turn};
use serde_json::{Value, json};
use tests::harness::{Daemon, DaemonBuilder, codex_bin, wait_until_some};

use crate::fixture::{Event, Events, LIMIT, ended, is_of_model, question, run_id, start};

/// A key of a form that is masked.
const KEY: &str = "ghp_a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8";

/// A word that no rule of redaction knows for a secret.
const SECRET: &str = "correct-horse-battery-staple";

/// The account's address, as Codex's log can have it.
const ADDRESS: &str = "jane.doe@example.com";

/// Something of a stream, with the id that it has in the log, if any.
#[derive(Debug)]
struct Told {
    id: Option<u64>,
    data: Value,
}

/// A daemon with the real Codex, and its model, which lives as long as it is held.
async fn daemon(script: impl Into<Script>) -> Option<(MockModel, Daemon)> {
    let codex = codex_bin()?;
    let mock = MockModel::local(script).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().codex(&codex).mock_model(&mock);
    Some((mock, builder.start().await.unwrap()))
}

/// The run's events from the start, volatile ones among them.
async fn told(daemon: &Daemon, run: &str) -> Vec<Told> {
    let mut stream = Events::open(daemon.client(), &format!("/runs/{run}/events"), None).await;
    let mut told = Vec::new();
    while let Some(block) = stream.block().await {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let Some(data) = field("data: ") else { continue };
        let id = field("id: ").map(|id| id.parse().unwrap());
        told.push(Told { id, data: serde_json::from_str(data).unwrap() });
    }
    told
}

/// The stages of the model that the log has.
fn kept_stages(told: &[Told]) -> Vec<&str> {
    let kept = told.iter().filter(|told| told.id.is_some() && is_of_model(&told.data));
    kept.map(|told| told.data["stage"].as_str().unwrap()).collect()
}

/// Advice for the questions of these tests, with this text.
fn advice(raw_text: &str) -> String {
    let advice = json!({
        "clarifying_questions": [],
        "assumption_check": [],
        "alternatives": [{"name": "a file", "description": "Append.", "pros": [], "cons": [], "applicable_when": null}],
        "tradeoffs": [{"dimension": "risk", "notes": "The outbox can lag."}],
        "recommendation": {"preferred_plan": "outbox", "reason": "It is simple.", "confidence": "low"},
        "followup_suggestions": [],
        "raw_text": raw_text,
    });
    advice.to_string()
}

#[tokio::test]
async fn a_model_that_thinks_and_writes_is_seen_while_it_does() {
    let every = Duration::from_millis(80);
    let reply = Reply::Advice.thought_and_written(every).after(Duration::from_millis(700));
    let Some((_mock, daemon)) = daemon(reply).await else { return };
    let began = Instant::now();
    let run = run_id(&start(&daemon, &question("Which queue?")).await);
    let record = wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap().body;
        (record["progress"]["stage"] == "thinking" && record["progress"]["events"] != 0)
            .then_some(record)
    });
    // One that leaves after each event of the log and comes back, while volatile ones are told.
    let torn = async {
        let mut seen: Vec<Event> = Vec::new();
        loop {
            let after = seen.last().map(|event| event.id);
            let path = format!("/runs/{run}/events");
            match Events::open(daemon.client(), &path, after).await.next().await {
                Some(event) => seen.push(event),
                None => return seen,
            }
        }
    };
    let (record, told, torn) = tokio::join!(record, told(&daemon, &run), torn);
    let took = began.elapsed();

    let progress = &record.expect("the run was not seen to think")["progress"];
    assert!(progress["silent_ms"].is_u64() && progress["elapsed_ms"].is_u64(), "{progress}");
    assert_eq!(kept_stages(&told), ["waiting", "thinking", "writing"]);
    for stage in ["thinking", "writing"] {
        let volatile = told.iter().filter(|told| told.id.is_none() && told.data["stage"] == stage);
        let counts: Vec<u64> = volatile.map(|told| told.data["events"].as_u64().unwrap()).collect();
        assert!(counts.len() >= 2 && counts.is_sorted_by(|a, b| a < b), "{stage}: {counts:?}");
    }
    let volatile = told.iter().filter(|told| told.id.is_none()).count();
    let most = 2 * took.as_secs() + 3;
    assert!(volatile as u64 <= most, "{volatile} volatile events in {took:?}");

    let ids: Vec<u64> = told.iter().filter_map(|told| told.id).collect();
    assert_eq!(ids, (1..=ids.len() as u64).collect::<Vec<_>>(), "the log has no gap");
    assert_eq!(torn.iter().map(|event| event.id).collect::<Vec<_>>(), ids);
    assert!(told.last().unwrap().data["recommendation"].is_object(), "nothing follows the report");
    assert_eq!(ended(&daemon, &run).await.get("progress"), None);
    // What is replayed is the log.
    let replayed = self::told(&daemon, &run).await;
    assert_eq!(
        replayed.iter().map(|told| told.id).collect::<Vec<_>>(),
        ids.iter().copied().map(Some).collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn a_model_that_says_nothing_for_ten_seconds_is_quiet_and_lives() {
    let reply = Reply::Advice.paced(Beat::KeepAlive, Duration::from_millis(400), 30);
    let Some((_mock, daemon)) = daemon(reply).await else { return };
    let run = run_id(&start(&daemon, &question("Which queue?")).await);
    let quiet = wait_until_some(LIMIT, async || {
        let record = daemon.client().get(&format!("/runs/{run}")).await.unwrap().body;
        (record["progress"]["stage"] == "quiet").then_some(record)
    });
    let (record, told) = tokio::join!(quiet, told(&daemon, &run));
    let progress = &record.expect("the run was not seen to be quiet")["progress"];
    assert!(progress["events"].as_u64().unwrap() > 20, "{progress}");
    assert_eq!(kept_stages(&told), ["waiting", "thinking", "quiet", "writing"]);
    let quiet = told.iter().find(|told| told.data["stage"] == "quiet").unwrap();
    assert_eq!(quiet.data["last"], "keepalive");
    assert!(quiet.data["silent_ms"].as_u64().unwrap() < 10_000, "the age of the keepalive");
}

/// The text in pieces, so that each occurrence of the key is cut at another place, until there is none left.
fn cut_everywhere(text: &str) -> Vec<Piece> {
    let cuts = text.match_indices(KEY).zip(1..KEY.len()).map(|((at, _), place)| at + place);
    let mut pieces = Vec::new();
    let mut rest = 0;
    for cut in cuts.chain([text.len()]) {
        pieces.push(Piece::new(&text[rest..cut]));
        rest = cut;
    }
    pieces
}

/// The real Codex behind a script that first writes a record with an account's address.
fn with_account(builder: DaemonBuilder, codex: &Path) -> DaemonBuilder {
    let wrapper = builder.folder().work().join("codex");
    let record = format!(
        "2026-11-22T06:10:30.2Z  INFO codex_otel.log_only: event.name=\"codex.conversation_starts\" \
         user.account_id=\"a\" user.email=\"{ADDRESS}\" conversation.id=1\\n"
    );
    let script = format!(
        "#!/bin/sh\ncase $1 in exec|app-server) printf '{record}' >&2;; esac\nexec '{}' \"$@\"\n",
        codex.display()
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(&wrapper, Permissions::from_mode(0o755)).unwrap();
    builder.codex(&wrapper)
}

#[tokio::test]
async fn no_secret_of_a_turn_is_told_or_kept_however_it_is_cut() {
    let Some(codex) = codex_bin() else { return };
    let many = format!("{KEY} ").repeat(KEY.len() - 1);
    // The first line of a whole thought may be told, masked, by a driver that sees it.
    let thought = format!("Is {many} it?\n{SECRET} {many}");
    let thoughts = Part::Reasoning { shown: cut_everywhere(&thought), opaque: None };
    let answered = Turn::empty()
        .and(thoughts)
        .and(Part::Text(cut_everywhere(&advice(&format!("Keep {many} safe.")))));
    let broken = Reply::Text(format!("{SECRET} {KEY}"))
        .written(7, Duration::from_millis(1))
        .with(Fault::before_end(Trouble::Cut));
    let refused = Reply::error(400, "invalid_request_error", &format!("no {KEY}"));
    let mock = MockModel::local(Reply::Turn(answered)).await.unwrap();
    let builder = DaemonBuilder::new().unwrap().mock_model(&mock);
    let builder = with_account(builder, &codex).env("CODEX_BRIDGE_LOG_LEVEL", "trace");
    let daemon = builder.start().await.unwrap();

    let mut places = Vec::new();
    for (reply, state) in [(None, "succeeded"), (Some(broken), "failed"), (Some(refused), "failed")]
    {
        if let Some(reply) = reply {
            mock.set_script(reply);
        }
        let run = run_id(&start(&daemon, &question(&format!("Is {KEY} safe?"))).await);
        let told = told(&daemon, &run).await;
        assert!(kept_stages(&told).contains(&"waiting"), "{told:?}");
        let record = ended(&daemon, &run).await;
        assert_eq!(record["run"]["state"], state, "{record:#}");
        places.push((format!("events of {state}"), format!("{told:?}")));
        places.push((format!("record of {state}"), record.to_string()));
    }
    let metrics = daemon.client().get("/metrics").await.unwrap();
    places.push(("metrics".to_owned(), metrics.body.to_string()));
    places.push(("log".to_owned(), daemon.log()));
    for file in fs::read_dir(daemon.state()).unwrap().flatten() {
        let bytes = fs::read(file.path()).unwrap_or_default();
        places.push((file.path().display().to_string(), String::from_utf8_lossy(&bytes).into()));
    }
    for (place, text) in &places {
        assert!(!text.contains(SECRET), "{place}: {text}");
        assert!(!text.contains(KEY) && !text.contains(&KEY[4..]), "{place}: {text}");
        assert!(!text.contains("codex_otel.log_only: event"), "{place}: {text}");
        assert!(!text.contains(ADDRESS), "{place}: {text}");
    }
}

/// A number of `/proc/PID/status`, in kilobytes.
fn memory(daemon: &Daemon, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn a_flood_of_events_costs_little_memory_and_few_rows() {
    let flood = |thoughts: usize| {
        let thoughts = Part::Reasoning {
            shown: (0..thoughts).map(|_| Piece::new("x ")).collect(),
            opaque: None,
        };
        Reply::Turn(Turn::empty().and(thoughts).and_text(advice("Take the outbox.")))
    };
    let script = Script::sequence([flood(100), flood(100)], flood(20_000));
    let Some((_mock, daemon)) = daemon(script).await else { return };
    let play = async || {
        let run = run_id(&start(&daemon, &question("Which queue?")).await);
        let told = told(&daemon, &run).await;
        assert_eq!(ended(&daemon, &run).await["run"]["state"], "succeeded");
        told
    };
    for _ in 0..2 {
        play().await;
    }
    // The peak begins anew (proc(5)).
    fs::write(format!("/proc/{}/clear_refs", daemon.pid()), "5").unwrap();
    let before = memory(&daemon, "VmRSS");
    let told = play().await;
    let grown = memory(&daemon, "VmHWM").saturating_sub(before);
    assert!(grown < 4 * 1024, "the daemon has grown by {grown} kB");
    let kept = kept_stages(&told);
    assert!(kept.len() <= 64, "{kept:?}");
    let counts = told.iter().filter_map(|told| told.data["events"].as_u64());
    assert!(counts.max().unwrap() > 20_000, "all of them are counted");
}
